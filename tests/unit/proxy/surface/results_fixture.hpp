// Answers of the run tools, as JSON.
#pragma once

#include "proxy/surface/results.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace results_tests {

namespace json = boost::json;
using msg::run_report;
using msg::run_status;
using test::object;
using test::value;

inline json::object result(const char* tool, const run_report& r, const std::vector<std::string>& servers = {}) {
  return surface::run_result(*surface::find_tool(tool), r, {servers, surface::output_format::usual});
}
inline json::object toon(const char* tool, const run_report& r, const std::vector<std::string>& servers = {}) {
  return surface::run_result(*surface::find_tool(tool), r, {servers, surface::output_format::toon});
}
inline std::string text_of(const json::object& o) { return std::string{o.at("content").at(0).at("text").as_string()}; }
inline json::object structured(const json::object& o) { return o.at("structuredContent").as_object(); }
inline bool is_error(const json::object& o) { return o.contains("isError") && o.at("isError").as_bool(); }

inline run_report success() {
  run_report r;
  r.status = run_status::success;
  r.duration_us = 12'345;
  return r;
}
inline run_report failure(std::string name, std::string message, int exit_code = 1) {
  run_report r;
  r.status = run_status::error;
  r.error.name = std::move(name);
  r.error.message = std::move(message);
  r.exit_code = exit_code;
  r.duration_us = 1'000;
  return r;
}

/// Two questions, one without an answer.
inline msg::sampling_report asked() {
  msg::sampling_report s;
  s.enabled = true;
  s.route = "anthropic";
  s.rounds = 2;
  s.tokens = 345;
  s.duration_us = 1'234'567;
  s.rounds_left = 8;
  s.tokens_left = 9'655;
  s.calls.resize(2);
  s.calls[0].route = s.calls[1].route = "anthropic";
  s.calls[0].model = s.calls[1].model = "claude-x";
  s.calls[0].usage = {300, 45, false};
  s.calls[0].duration_us = 1'000'000;
  s.calls[0].tool_calls = 3;
  s.calls[1].error = msg::errc::model_failed;
  s.calls[1].duration_us = 234'567;
  return s;
}

} // namespace results_tests
