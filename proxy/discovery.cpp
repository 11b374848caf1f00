#include "proxy/discovery.hpp"

#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

namespace proxy {

using msg::catalog_operation;

namespace {

/// A question with many patterns may take so long: others wait for it. Of the processor, because the same filter is
/// refused from then on: what else the machine does is not its fault.
constexpr std::chrono::milliseconds patterns_time_max{500};

/// Then others who wait have a turn.
constexpr std::chrono::milliseconds update_time_max{20};

/// Of this thread, since it began.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// A filter and the policy, made ready for one question. The tools of a server are asked about one after the other.
class reader {
public:
  reader(std::shared_ptr<const tool_policy> policy, const msg::tool_filter& filter)
    : policy_(std::move(policy)),
      allowed_(filter, policy_->server_names()) {}

  bool may_use(const std::string& server, std::string_view tool) {
    if (tool.empty())
      return policy_->permits_some(server) && allowed_.allows_some(server);
    if (!tools_ || server_ != server) {
      tools_.emplace(*policy_, allowed_, server);
      server_ = server;
    }
    return tools_->has(tool);
  }

private:
  std::shared_ptr<const tool_policy> policy_;
  allowlist allowed_;
  std::string server_; ///< that tools_ is of
  std::optional<usable_tools> tools_;
};

/// Asked on one thread. The time begins when it is asked first: reading the index, before that, may take longer.
catalog::reason_to_stop stop_of(const msg::catalog_request& r) {
  return [over = r.is_over, until = std::optional<std::chrono::nanoseconds>{}]() mutable -> msg::fault {
    if (over && *over)
      return {msg::errc::cancelled, "the run has ended"};
    if (!until)
      until = processor_time() + patterns_time_max;
    if (processor_time() >= *until)
      return {
        msg::errc::limit_exceeded,
        "it takes too long to hold all tools against the patterns of allowedTools; use fewer of them, or name servers"};
    return {};
  };
}

catalog::tool_catalog::speller speller_of(const std::vector<std::string_view>& names) {
  return [table = std::make_shared<const name_table>(names)](std::string_view wanted) { return table->find(wanted); };
}

} // namespace

discovery::discovery(std::string state_folder, const std::vector<msg::server_entry>& servers, msg::name_policy policy,
                     catalog::changed_tools rule, types::private_things knows)
  : state_folder_(std::move(state_folder)),
    of_settings_(std::move(policy)),
    pinning_{rule, std::make_shared<tool_pinning::approvals>(state_folder_)},
    learned_(std::move(knows)) {
  open(servers);
}

void discovery::open(const std::vector<msg::server_entry>& servers) {
  if (tools_) [[maybe_unused]]
    auto lost = tools_->save(); // else it is made anew
  policy_ = std::make_shared<const tool_policy>(of_settings_, servers);
  auto& names = policy_->server_names();
  servers_ = name_table{{names.begin(), names.end()}};
  auto allowed = [policy = policy_](const msg::tool_filter& filter) -> catalog::may_use {
    return [r = std::make_shared<reader>(policy, filter)](const std::string& server, std::string_view tool) {
      return r->may_use(server, tool);
    };
  };
  tools_ = std::make_unique<catalog::tool_catalog>(state_folder_, servers, std::move(allowed), pinning_);
}

msg::outcome<msg::tool_info> discovery::resolve(const msg::catalog_request& r) {
  auto found = tools_->find(r.server, r.tool, speller_of);
  if (!found.ok() && found.error.code != msg::errc::tool_changed)
    return found;
  auto& name = found.ok() ? found.value.name : found.error.tool;
  if (!policy_->permits(r.server, name))
    return policy_->refusal(r.server, name);
  if (!allows(r.allowed, r.server, name, policy_->server_names()))
    return refusal(r.server, name);
  if (found.ok())
    found.value.needs_own_name = !is_found_by_aliases(r.server, name);
  return found;
}

/// Two servers, or two tools of one, may be spelled alike; then an alias means one of them only.
bool discovery::is_found_by_aliases(const std::string& server, const std::string& tool) {
  auto natural = aliases_of(tool);
  auto is_meant = [&](const std::string& alias) { return tools_->is_meant(server, tool, alias, speller_of); };
  return servers_.is_found_by_aliases(server) && is_meant(natural.camel) && is_meant(natural.snake);
}

/// The list may have been on its way when its entry was changed or removed.
msg::catalog_answer discovery::update(const msg::server_entry& server, const msg::listed_tools& tools) {
  msg::catalog_answer out;
  if (!tools_->knows(server))
    out.reviewed = tools_->review(server, tools);
  else if (tools_->prepare(server.name, tools, std::chrono::steady_clock::now() + update_time_max))
    out.reviewed = tools_->update(server.name, tools);
  else
    out.goes_on = true;
  return out;
}

msg::catalog_answer discovery::answer(const msg::catalog_request& r) {
  msg::catalog_answer out;
  switch (r.operation) {
    case catalog_operation::update: return update(r.entries.front(), r.tools);
    case catalog_operation::search: {
      out.so_far = r.so_far;
      auto found = tools_->search(r.query, stop_of(r), out.so_far);
      out.goes_on = out.so_far != nullptr;
      out.found = std::move(found.value);
      out.error = std::move(found.error);
      break;
    }
    case catalog_operation::resolve: {
      auto tool = resolve(r);
      out.tool = std::move(tool.value);
      out.error = std::move(tool.error);
      break;
    }
    case catalog_operation::servers: out.servers = tools_->servers(); break;
    case catalog_operation::observed: out.schema = learned_.schema_of(*tools_, r.server, r.tool); break;
    case catalog_operation::observe: out.error = learned_.learn(*tools_, r.server, r.tool, r.value); break;
    case catalog_operation::reload: open(r.entries); break;
    case catalog_operation::save: out.error = tools_->save(); break;
  }
  return out;
}

} // namespace proxy
