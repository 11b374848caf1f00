#include "actors/sampling/open_completions.hpp"

#include "actors/sampling/prompts.hpp"

#include <string>
#include <utility>

namespace sampling {

using msg::errc;

namespace {

constexpr uint64_t completions_of_run_max = 1'000'000;

msg::fault too_much(const std::string& what) {
  return {errc::overloaded,
          "llm: " + what + ", which is the limit; await some first, and leave streams that you need no more"};
}

} // namespace

open_completions::open_completions(uint64_t run) : last_number_(run * completions_of_run_max) {}

msg::fault open_completions::check_count() const {
  return open_.size() < completions_max
           ? msg::fault{}
           : too_much("this run has " + std::to_string(completions_max) + " questions open");
}

msg::fault open_completions::check_bytes(size_t prompt_bytes) const {
  for (auto& [number, q] : open_)
    prompt_bytes += q->prompt_bytes;
  return prompt_bytes <= prompts_held_max
           ? msg::fault{}
           : too_much("the open questions of this run have " + std::to_string(prompts_held_max >> 20) + " MiB of text");
}

uint64_t open_completions::add(completion_ptr q) {
  open_.emplace(++last_number_, std::move(q));
  return last_number_;
}

completion_ptr open_completions::find(uint64_t number) const {
  auto found = open_.find(number);
  return found == open_.end() ? nullptr : found->second;
}

std::vector<completion_ptr> open_completions::take_all() {
  waiting_.clear();
  std::vector<completion_ptr> out;
  for (auto& [number, q] : std::exchange(open_, {}))
    out.push_back(q);
  return out;
}

void open_completions::try_again(const std::function<void(uint64_t)>& try_one) {
  auto again = std::exchange(waiting_, {});
  while (!again.empty() && waiting_.empty()) {
    try_one(again.front());
    again.pop_front();
  }
  waiting_.insert(waiting_.end(), again.begin(), again.end());
}

} // namespace sampling
