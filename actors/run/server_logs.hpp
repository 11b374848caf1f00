// What servers log in the middle of the calls of a run, on its way to the client: as much as a person may read.
#pragma once

#include "messages/log_level.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace actors::run {

/// Of one run. What clients show of a log is a few lines; a server that says each of a thousand steps means its own
/// log.
inline constexpr uint32_t log_lines_max = 200;

class server_logs {
public:
  /// `our_name`: who says how much was left out.
  server_logs(std::string our_name, std::function<void(msg::server_log)> tell)
    : our_name_(std::move(our_name)),
      tell_(std::move(tell)) {}

  void take(msg::server_log line);
  /// The run is over: says how much was left out. Again: nothing happens.
  void end();

private:
  std::string our_name_;
  std::function<void(msg::server_log)> tell_;
  uint32_t told_ = 0;
  uint64_t left_out_ = 0;
  msg::log_level gravest_ = msg::log_level::debug; ///< of what was left out
  uint64_t run_ = 0;
};

} // namespace actors::run
