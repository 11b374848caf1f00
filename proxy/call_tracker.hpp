// Counts and times the tool calls of one run.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxy {

/// A program can make names up, so only the first limits::tools_counted_max are counted one by one; the others have the
/// last row together.
class call_tracker {
public:
  void succeeded(const std::string& full_name, std::chrono::microseconds duration);
  void failed(const std::string& full_name, std::chrono::microseconds duration, const std::string& error);
  /// Memory that it has, about.
  size_t held_bytes() const { return held_bytes_; }
  /// In order of each tool's first end.
  std::vector<msg::tool_stats> take() &&;

private:
  msg::tool_stats& row_of(const std::string& full_name);
  msg::tool_stats& count(const std::string& full_name, std::chrono::microseconds duration);

  std::vector<msg::tool_stats> stats_;
  std::unordered_map<std::string, size_t> places_;
  msg::tool_stats others_;
  size_t held_bytes_ = 0;
};

} // namespace proxy
