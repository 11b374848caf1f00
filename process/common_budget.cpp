#include "process/common_budget.hpp"

#include <algorithm>
#include <utility>

namespace process {

common_budget::part::part(std::shared_ptr<common_budget> budget, std::function<void()> end)
  : budget_(std::move(budget)),
    end_(std::move(end)) {
  if (budget_)
    budget_->parts_.push_back(this);
}

common_budget::part::~part() {
  if (!budget_)
    return;
  budget_->bytes_ -= bytes_;
  std::erase(budget_->parts_, this);
}

void common_budget::part::set(uint64_t bytes) {
  if (!budget_ || has_ended_)
    return;
  budget_->bytes_ += bytes - bytes_;
  bytes_ = bytes;
  if (budget_->bytes_ > budget_->bytes_max_)
    budget_->end_the_largest();
}

/// One at a time is enough: what is held for it is above the average, and is let go of when it has died, within
/// milliseconds.
void common_budget::end_the_largest() {
  auto* largest =
    *std::max_element(parts_.begin(), parts_.end(), [](auto* a, auto* b) { return a->bytes_ < b->bytes_; });
  bytes_ -= std::exchange(largest->bytes_, 0);
  largest->has_ended_ = true;
  largest->end_();
}

} // namespace process
