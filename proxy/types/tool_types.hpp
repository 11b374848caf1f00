// What is known of the types of one tool.
#pragma once

#include "messages/tool_call.hpp"
#include "proxy/types/type.hpp"

#include <string>
#include <vector>

namespace types {

struct tool_types {
  std::string doc; ///< as the server wrote it, without control characters but line ends
  bool takes_nothing = false;
  type input; ///< an object, or a choice of objects
  bool may_omit_input = true;
  type output; ///< unknown: nothing declared or observed
  std::string output_doc;
};

/// Named types that it needs go behind `names`, wished as `prefix` + what the schema calls them.
tool_types read_tool(const msg::tool_info& tool, const std::string& prefix, std::vector<named_type>& names);

/// Any parameters, any result: for a tool whose types are too long to print.
tool_types plain_tool(const msg::tool_info& tool);

} // namespace types
