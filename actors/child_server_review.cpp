// A new list of tools: the connector hears of it, and where changed tools are held, calls wait for what it says.
#include "actors/child_server.hpp"
#include "catalog/pinning/approvals.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

/// The connector gives up earlier. Only so that the wait is finite.
constexpr std::chrono::seconds review_answer_max{65};
constexpr int review_pause_factor = 10;
constexpr std::chrono::milliseconds review_pause_max{60'000};

} // namespace

void child_server_state::tell_tools() {
  if (!options_.connector)
    return;
  auto list = ++list_;
  told_at_ = self_->clock().now();
  auto answered = [this, list](msg::outcome<std::vector<std::string>>& held) { reviewed(list, std::move(held)); };
  auto silent = [this, list](caf::error&) { reviewed(list, fault_of(errc::internal, "has told its tools, and nobody looked at them")); };
  self_->request(options_.connector, review_answer_max, msg::tools_atom::value, entry_.name, tools_).then(answered, silent);
}

/// A server that changes its list all the time has no more than a tenth of the catalog, which everybody uses.
std::chrono::milliseconds child_server_state::relist_pause() const {
  return std::clamp(review_pause_factor * review_took_, limits::child_list_debounce, review_pause_max);
}

bool child_server_state::is_reviewing() const { return options_.calls_wait_for_review && reviewed_ != list_; }

/// The calls that came before go on, or hear why they do not.
void child_server_state::reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held) {
  if (list != list_) // there is a newer one already
    return;
  reviewed_ = list;
  review_took_ = std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - told_at_);
  held_ = std::move(held);
  if (state_ != msg::server_state::ready)
    return;
  if (!relist_wanted_)
    release_waiting();
  send_waiting();
}

/// Of a call that came before the last list was reviewed; later ones have been held against it by the connector. errc::none: it may go.
fault child_server_state::held_back(const open_call& call) const {
  if (!options_.calls_wait_for_review || call.list == reviewed_ || call.call.method != msg::child_method::call_tool)
    return {};
  auto& tool = call.call.tool;
  if (!held_.ok())
    return fault{held_.error}.at(entry_.name, tool);
  if (std::find(held_.value.begin(), held_.value.end(), tool) == held_.value.end())
    return {};
  return tool_pinning::held_fault(entry_.name, tool);
}

} // namespace actors
