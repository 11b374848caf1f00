#include "actors/servers/tool_reviews.hpp"

#include "mcp/tool_page.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace servers {

using msg::errc;
using msg::fault;

namespace {

/// Of the list, in its order.
std::vector<std::string> held_of(const msg::listed_tools& list, const msg::reviewed_tools& reviewed) {
  std::vector<std::string> held;
  if (reviewed.held == 0)
    return held;
  std::unordered_set<std::string_view> usable;
  for (auto& tool : *reviewed.tools)
    usable.insert(tool.name);
  for (auto& tool : *list)
    if (!usable.contains(tool.name))
      held.push_back(tool.name);
  return held;
}

} // namespace

tool_reviews::tool_reviews(generations& all, unreviewed_tools rule, process::background_work offload,
                           review_routes routes)
  : all_(all),
    rule_(rule),
    offload_(std::move(offload)),
    routes_(std::move(routes)) {}

/// Answers of the catalog that are still to come hold the reviews: whoever waits for one hears of the end at once.
tool_reviews::~tool_reviews() {
  for (auto& each : open_)
    each->then.clear();
}

std::shared_ptr<review> tool_reviews::of(const server& s) const {
  auto found = std::find_if(open_.rbegin(), open_.rend(), [&](auto& r) { return is_same_server(r->entry, s.entry); });
  return found == open_.rend() ? nullptr : *found;
}

std::shared_ptr<review> tool_reviews::begin(const server& s, msg::listed_tools tools) {
  auto of = std::make_shared<review>();
  of->number = ++last_number_;
  of->entry = s.entry;
  of->list = std::move(tools);
  open_.push_back(of);
  routes_.ask(s.entry, of->list, [this, of](std::optional<msg::outcome<msg::reviewed_tools>> answer) {
    answer ? reviewed(of, std::move(*answer)) : unanswered(of);
  });
  return of;
}

void tool_reviews::reviewed(const std::shared_ptr<review>& of, msg::outcome<msg::reviewed_tools> answer) {
  of->is_lost = !answer.ok();
  if (of->is_lost)
    return end(of);
  of->held = held_of(of->list, answer.value);
  if (!of->held.empty()) // else the other list has all of it
    of->usable.with_held = std::move(of->list);
  of->list = {};
  of->usable.tools = std::move(answer.value.tools);
  put_in_order(of);
}

void tool_reviews::unanswered(const std::shared_ptr<review>& of) {
  bool is_taken = all_.configured_as(of->entry) && !are_watched();
  of->is_lost = !is_taken;
  if (!is_over_)
    spdlog::error("server '{}': its tools could not be held against what was approved; {}", of->entry.name,
                  is_taken ? "they are used all the same" : "what was known of them before counts");
  if (!is_taken)
    return end(of);
  of->usable.tools = std::exchange(of->list, {});
  put_in_order(of);
}

/// So that they are found by name; of a long list on another thread.
void tool_reviews::put_in_order(const std::shared_ptr<review>& of) {
  auto order = [of] { of->usable.names = names_in(*of->usable.tools); };
  if (offload_ && mcp::is_long(*of->usable.tools))
    return offload_(order, routes_.by_message(of->number));
  order();
  in_order(of->number, {});
}

void tool_reviews::in_order(uint64_t number, const fault& problem) {
  auto found = std::find_if(open_.begin(), open_.end(), [&](auto& r) { return r->number == number; });
  if (found == open_.end())
    return;
  auto of = *found;
  of->is_lost = of->is_lost || problem.code != errc::none;
  // A longer list takes longer.
  if (auto* now = all_.configured_as(of->entry); now && !of->is_lost && now->review < number) {
    auto before = std::exchange(now->usable, std::move(of->usable));
    if (mcp::is_long(*before.tools))
      process::destroy_there(offload_, std::move(before));
    now->listed = true;
    now->review = number;
  }
  end(of);
}

void tool_reviews::end(const std::shared_ptr<review>& of) {
  std::erase(open_, of);
  for (auto& then : std::exchange(of->then, {}))
    then();
}

} // namespace servers
