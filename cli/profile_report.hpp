// What each configured server costs and gives: what `profile` found, for people and as JSON.
#pragma once

#include "cli/tool_usage.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct profiled_tool {
  std::string name; ///< raw
  uint64_t tokens = 0;
};

struct profiled_server {
  std::string name;
  std::string error; ///< empty: its tools are known
  std::vector<profiled_tool> tools;

  uint64_t tokens() const;
};

/// What its definition costs a model whose client lists it: name, description and schema, estimated as in llm.ask.
uint64_t tokens_of(const msg::tool_info& tool);

struct profile_report {
  std::vector<profiled_server> servers;
  usage_record usage;
};

std::string as_text(const profile_report& report);
boost::json::object as_document(const profile_report& report);

} // namespace cli
