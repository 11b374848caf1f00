#include "proxy/call_tracker.hpp"

namespace proxy {

msg::tool_stats& call_tracker::count(const std::string& full_name, std::chrono::microseconds duration) {
  auto [place, is_new] = places_.try_emplace(full_name, stats_.size());
  if (is_new)
    stats_.emplace_back().name = full_name;
  auto& s = stats_[place->second];
  ++s.calls;
  s.duration_us += static_cast<uint64_t>(duration.count());
  return s;
}

void call_tracker::succeeded(const std::string& full_name, std::chrono::microseconds duration) { ++count(full_name, duration).successes; }

void call_tracker::failed(const std::string& full_name, std::chrono::microseconds duration, const std::string& error) {
  auto& s = count(full_name, duration);
  ++s.errors;
  s.last_error = error;
}

} // namespace proxy
