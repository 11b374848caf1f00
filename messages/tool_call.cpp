#include "messages/tool_call.hpp"

namespace msg {

const tool_list& listed_tools::operator*() const {
  static const tool_list none;
  return tools_ ? *tools_ : none;
}

std::string_view to_string(child_method method) {
  switch (method) {
    case child_method::call_tool: break;
    case child_method::list_resources: return "resources/list";
    case child_method::read_resource: return "resources/read";
    case child_method::list_prompts: return "prompts/list";
    case child_method::get_prompt: return "prompts/get";
  }
  return "tools/call";
}

} // namespace msg
