#include "actors/child/tool_review.hpp"

#include "catalog/pinning/approvals.hpp"
#include "messages/limits.hpp"

#include <algorithm>

namespace child {

using std::chrono::milliseconds;

namespace {

constexpr int review_pause_factor = 10;
constexpr milliseconds review_pause_max{60'000};
constexpr milliseconds call_pause_max{2'000};
/// Measured: 20,000 tools with 10 MB of text take 1.2 s.
constexpr std::chrono::microseconds work_of_a_tool{20};
constexpr size_t bytes_a_microsecond = 12;

} // namespace

bool tool_review::announced_change() {
  bool is_first = !is_change_announced();
  ++last_change_;
  return is_first;
}

milliseconds tool_review::relist_pause() const {
  return std::clamp(review_pause_factor * work_, msg::limits::child_list_debounce, review_pause_max);
}

milliseconds tool_review::pause_left(time_point now) const {
  auto pause = std::min<milliseconds>(review_pause_factor * work_, call_pause_max);
  auto over = std::chrono::duration_cast<milliseconds>(now - reviewed_at_);
  return reviewed_ == 0 ? milliseconds{0} : std::max(pause - over, milliseconds{0});
}

milliseconds review_work(const msg::tool_list& tools) {
  size_t bytes = 0;
  for (auto& tool : tools)
    bytes += tool.definition.text_bytes();
  auto work = tools.size() * work_of_a_tool + std::chrono::microseconds{bytes / bytes_a_microsecond};
  return std::chrono::duration_cast<milliseconds>(work);
}

uint64_t tool_review::told(milliseconds work) {
  work_ = work;
  return ++told_;
}

bool tool_review::reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held, time_point now) {
  if (list != told_)
    return false;
  reviewed_ = list;
  reviewed_at_ = now;
  held_ = std::move(held);
  return true;
}

msg::fault tool_review::held_back(const msg::tool_call& call, uint64_t list) const {
  if (rule_ == during_review::calls_go_on || list == reviewed_ || call.method != msg::child_method::call_tool)
    return {};
  if (!held_.ok())
    return msg::fault{held_.error}.at(server_, call.tool);
  bool is_held = std::find(held_.value.begin(), held_.value.end(), call.tool) != held_.value.end();
  return is_held ? tool_pinning::held_fault(server_, call.tool) : msg::fault{};
}

} // namespace child
