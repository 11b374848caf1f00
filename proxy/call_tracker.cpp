#include "proxy/call_tracker.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace proxy {

namespace limits = msg::limits;

msg::tool_stats& call_tracker::row_of(const std::string& full_name) {
  if (auto known = places_.find(full_name); known != places_.end())
    return stats_[known->second];
  if (stats_.size() >= limits::tools_counted_max)
    return others_;
  held_bytes_ += sizeof(msg::tool_stats) + 2 * full_name.size();
  places_.emplace(full_name, stats_.size());
  auto& row = stats_.emplace_back();
  row.name = text::quoted(full_name, limits::counted_name_bytes_max);
  return row;
}

msg::tool_stats& call_tracker::count(const std::string& full_name, std::chrono::microseconds duration) {
  auto& s = row_of(full_name);
  ++s.calls;
  s.duration_us += static_cast<uint64_t>(duration.count());
  return s;
}

void call_tracker::succeeded(const std::string& full_name, std::chrono::microseconds duration) {
  ++count(full_name, duration).successes;
}

void call_tracker::failed(const std::string& full_name, std::chrono::microseconds duration, const std::string& error) {
  auto& s = count(full_name, duration);
  ++s.errors;
  held_bytes_ -= s.last_error.size();
  s.last_error = text::quoted(error, limits::counted_error_bytes_max);
  held_bytes_ += s.last_error.size();
}

std::vector<msg::tool_stats> call_tracker::take() && {
  if (others_.calls > 0) {
    others_.name = msg::other_tools;
    stats_.push_back(std::move(others_));
  }
  return std::move(stats_);
}

} // namespace proxy
