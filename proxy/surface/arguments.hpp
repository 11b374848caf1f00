// The arguments of our own tools, checked: every mistake names the field, what was expected and what was given.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/tool_call.hpp"
#include "proxy/surface/surface.hpp"
#include "proxy/surface/toon.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace surface {

struct run_arguments {
  msg::run_request request;         ///< without id
  std::vector<std::string> servers; ///< run_python: the run may use these only; must all exist
  output_format format = output_format::usual;
};

/// What is configured. It is checked and not advertised: the list of tools stays the same.
struct run_limits {
  run_times times;                                     ///< security.defaultTimeoutMs, security.maxTimeoutMs
  run_times bridge;                                    ///< of run_python: MCP_BRIDGE_TIMEOUT, MCP_BRIDGE_MAX_TIMEOUT
  size_t code_bytes_max = msg::limits::code_bytes_max; ///< security.maxCodeSize
  output_format bridge_format = output_format::usual;  ///< of run_python
  /// What is wrong with a plan of faults, or empty; null: runs may have none (security.allowFaults).
  std::string (*check_faults)(const msg::document&) = nullptr;
};

/// Accepts the spellings of all seeds: timeoutMs, timeout_ms, timeout (seconds).
msg::outcome<run_arguments> parse_run(const tool& t, const boost::json::object& arguments,
                                      const run_limits& limits = {});

struct search_arguments {
  msg::tool_query query;
  msg::tool_detail detail = msg::tool_detail::standard;
};
msg::outcome<search_arguments> parse_search(const boost::json::object& arguments);

msg::outcome<msg::tool_ref> parse_signature(const boost::json::object& arguments);

/// For tools without parameters.
msg::outcome<bool> parse_nothing(const boost::json::object& arguments);

} // namespace surface
