// Counts and times the tool calls of one run.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxy {

class call_tracker {
public:
  void succeeded(const std::string& full_name, std::chrono::microseconds duration);
  void failed(const std::string& full_name, std::chrono::microseconds duration, const std::string& error);
  /// In order of each tool's first end.
  std::vector<msg::tool_stats> take() && { return std::move(stats_); }

private:
  msg::tool_stats& count(const std::string& full_name, std::chrono::microseconds duration);

  std::vector<msg::tool_stats> stats_;
  std::unordered_map<std::string, size_t> places_;
};

} // namespace proxy
