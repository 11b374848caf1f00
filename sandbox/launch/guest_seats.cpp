#include "sandbox/launch/guest_seats.hpp"

#include "messages/limits.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

namespace sandbox {

namespace {

/// The guest that was started last has the processor to itself for so long. In a burst, every guest gets a seat of its own
/// making, and the spare comes after it.
constexpr std::chrono::milliseconds refill_delay{20};

} // namespace

msg::outcome<guest_seat> guest_seats::make() {
  guest_seat made;
  made.group = groups_->make();
  if (!made.group)
    return made;
  auto seat = process::seat::start(refill_.get_executor(), program_, made.group->joins(), msg::limits::guest_niceness);
  made.group->joined();
  if (!seat.ok())
    return std::move(seat.error);
  made.seat = std::move(seat.value);
  return made;
}

msg::outcome<guest_seat> guest_seats::take(const cgroup_limits& limits) {
  msg::outcome<guest_seat> taken{std::exchange(spare_, {})};
  if (!taken.value.seat)
    taken = make();
  if (taken.value.group && !taken.value.group->limit(limits))
    return guest_seat{};
  if (taken.value.seat)
    refill_soon();
  return taken;
}

void guest_seats::refill_soon() {
  refill_.expires_after(refill_delay); // also ends an earlier wait
  refill_.async_wait([weak = weak_from_this()](asio::error_code ec) {
    auto self = weak.lock();
    if (ec || !self || self->spare_.seat)
      return;
    if (auto made = self->make(); made.ok()) // else the next guest tries, and tells
      self->spare_ = std::move(made.value);
  });
}

std::shared_ptr<guest_seats> make_guest_seats(const asio::any_io_executor& executor, const std::string& own_executable) {
  auto folder = std::filesystem::path{own_executable}.parent_path();
  auto program = folder / "guest-seat";
  if (std::error_code ec; !std::filesystem::exists(program, ec))
    program = folder / "../libexec/code-executor/guest-seat";
  return std::make_shared<guest_seats>(executor, find_cgroups(executor), program.string());
}

} // namespace sandbox
