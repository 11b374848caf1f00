#include "actors/resilience/demand.hpp"

namespace resilience {

namespace {

/// The last start counts for a quarter. A machine that stood still for a while made no guest in that time.
constexpr int memory = 4;
constexpr std::chrono::seconds start_time_max{1};

} // namespace

void demand::arrived(time_point now) {
  while (!recent_.empty() && recent_.front() + start_time_ <= now)
    recent_.pop_front();
  if (recent_.size() >= most_ && !recent_.empty())
    recent_.pop_front();
  recent_.push_back(now);
  auto wanted = std::min(recent_.size(), most_);
  if (wanted < level(now))
    return;
  level_ = wanted;
  held_until_ = now + idle_after_;
}

void demand::made(duration took) { start_time_ += (std::min<duration>(took, start_time_max) - start_time_) / memory; }

size_t demand::level(time_point now) {
  for (; level_ > rest_ && now >= held_until_; held_until_ += idle_after_)
    --level_;
  return level_;
}

} // namespace resilience
