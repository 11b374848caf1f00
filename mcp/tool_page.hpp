// One page of a server's list of tools, taken apart. It touches nothing but the answer, so that a long one can be read
// on another thread.
#pragma once

#include "mcp/header_parameters.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mcp {

/// Whether HTTP says arguments in its head: then a tool whose schema wants that wrongly is left out.
enum class argument_headers : uint8_t { unsaid, said };

/// By name of the tool, of those that have some.
using header_arguments = std::map<std::string, std::vector<header_parameter>, std::less<>>;

struct tool_page {
  msg::tool_list tools;            ///< each name once
  std::optional<std::string> next; ///< the cursor of the next page
  size_t bytes = 0;                ///< of memory: the definitions, and the cursor, which is kept as well
  size_t left_out = 0;             ///< for their names: too long, or none
  size_t too_large = 0;            ///< left out for their definitions
  size_t too_many = 0;             ///< left out, as there are child_tools_max already
  header_arguments headers;
  size_t unsayable = 0;        ///< left out for what they want in headers
  std::string first_unsayable; ///< of those, and why: the name as it came
  msg::fault problem;          ///< errc::none: there is none. Else the rest is empty
};

/// Null: that is no answer to tools/list that lists anything.
const boost::json::array* tools_in(const boost::json::value& answer);
/// Of an answer in which there are some. Takes as long as parsing it took.
tool_page read_tool_page(const std::string& server, const msg::document& answer,
                         argument_headers headers = argument_headers::unsaid);
/// It is for another thread to put it in order, or to let go of it.
bool is_long(const msg::tool_list& tools);
/// Of a list that takes too much memory.
msg::fault too_large_a_list(const std::string& server);

} // namespace mcp
