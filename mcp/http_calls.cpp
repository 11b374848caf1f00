#include "mcp/http_calls.hpp"

#include "mcp/http_session.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

void http_calls::begin(uint64_t key, http_call_kind kind) {
  if (key != 0)
    calls_[key] = call{kind};
}

void http_calls::leaves(uint64_t key, exchange_ptr by) {
  if (auto found = calls_.find(key); found != calls_.end())
    found->second.by = std::move(by);
}

void http_calls::waits(uint64_t key) {
  if (auto found = calls_.find(key); found != calls_.end())
    found->second.by.reset();
}

bool http_calls::give_up(uint64_t key) {
  auto found = calls_.find(key);
  if (found == calls_.end())
    return false;
  auto& call = found->second;
  call.is_given_up = true;
  call.is_taken_back = !call.by || !call.by->has_left();
  if (!call.is_taken_back && call.kind == http_call_kind::told)
    leave(call.by, http_given_up_max);
  else if (call.by) // it waits for a connection, or hears by it
    call.by->cancel();
  bool is_taken_back = call.is_taken_back;
  if (call.is_posted)
    calls_.erase(found);
  return is_taken_back;
}

bool http_calls::is_open(uint64_t key) const {
  auto found = calls_.find(key);
  return found != calls_.end() && !found->second.is_taken_back;
}

bool http_calls::is_given_up(uint64_t key) const {
  auto found = calls_.find(key);
  return found != calls_.end() && found->second.is_given_up;
}

void http_calls::posted(uint64_t key) {
  auto found = calls_.find(key);
  if (found == calls_.end())
    return;
  found->second.is_posted = true;
  leave(found->second.by, http_after_answer_max);
  if (found->second.is_given_up)
    calls_.erase(found);
}

void http_calls::take_answers(const boost::json::value& message) {
  for (auto key : keys_answered_by(message))
    if (auto call = calls_.extract(key); call && call.mapped().by)
      leave(call.mapped().by, http_after_answer_max);
}

void http_calls::end(uint64_t key) {
  if (auto found = calls_.find(key); found != calls_.end() && !found->second.is_posted)
    calls_.erase(found);
}

bool http_calls::may_be_carried_out() const {
  return std::any_of(calls_.begin(), calls_.end(), [](auto& each) {
    auto& call = each.second;
    return call.kind != http_call_kind::standing && call.by && call.by->has_left();
  });
}

void http_calls::leave(const exchange_ptr& what, std::chrono::milliseconds time) {
  std::erase_if(remnants_, [](auto& each) {
    auto open = each.lock();
    return !open || open->has_ended();
  });
  what->end_within(time);
  if (!what->has_ended())
    remnants_.push_back(what);
  while (remnants_.size() > http_remnants_max) {
    if (auto oldest = remnants_.front().lock())
      oldest->cancel();
    remnants_.pop_front();
  }
}

} // namespace mcp
