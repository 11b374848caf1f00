#include "sandbox/launch/prespawned_guests.hpp"

#include "messages/limits.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

namespace sandbox {

namespace {

/// The guest that was started last has the processor to itself for so long. In a burst, every guest gets a process of
/// its own making, and the spare comes after it.
constexpr std::chrono::milliseconds refill_delay{20};

/// There is a place for its cgroup: without one it would have no limit, or a worse one.
msg::fault lacking(const cgroups& groups) { return {msg::errc::overloaded, "cannot be limited: " + groups.lack()}; }

} // namespace

msg::outcome<prespawned_guest> prespawned_guests::make() {
  prespawned_guest made;
  made.group = groups_->make();
  if (!made.group && !groups_->lack().empty())
    return lacking(*groups_);
  if (!made.group)
    return made;
  auto waiting = process::prespawned_process::start(refill_.get_executor(), program_, made.group->joins(),
                                                    msg::limits::guest_niceness);
  made.group->joined();
  if (!waiting.ok())
    return std::move(waiting.error);
  made.waiting = std::move(waiting.value);
  return made;
}

msg::outcome<prespawned_guest> prespawned_guests::take(const cgroup_limits& limits) {
  msg::outcome<prespawned_guest> taken{std::exchange(spare_, {})};
  if (!taken.value.waiting)
    taken = make();
  if (taken.value.group && !taken.value.group->limit(limits)) {
    if (!groups_->lack().empty())
      return lacking(*groups_);
    return prespawned_guest{};
  }
  if (taken.value.waiting)
    refill_soon();
  return taken;
}

msg::outcome<std::unique_ptr<guest_cgroup>> prespawned_guests::make_group(const cgroup_limits& limits) {
  auto made = groups_->make();
  if (made && made->limit(limits))
    return made;
  if (!groups_->lack().empty())
    return lacking(*groups_);
  return std::unique_ptr<guest_cgroup>{};
}

void prespawned_guests::refill_soon() {
  refill_.expires_after(refill_delay); // also ends an earlier wait
  refill_.async_wait([weak = weak_from_this()](asio::error_code ec) {
    auto self = weak.lock();
    if (ec || !self || self->spare_.waiting)
      return;
    if (auto made = self->make(); made.ok()) // else the next guest tries, and tells
      self->spare_ = std::move(made.value);
  });
}

std::shared_ptr<prespawned_guests> make_prespawned_guests(const asio::any_io_executor& executor,
                                                          const std::string& own_executable) {
  auto folder = std::filesystem::path{own_executable}.parent_path();
  auto program = folder / "guest-exec";
  if (std::error_code ec; !std::filesystem::exists(program, ec))
    program = folder / "../libexec/code-executor/guest-exec";
  return std::make_shared<prespawned_guests>(executor, find_cgroups(executor), program.string());
}

} // namespace sandbox
