#include "signatures/tool_signature.hpp"

#include "messages/aliases.hpp"
#include "signatures/bounds.hpp"
#include "signatures/python.hpp"
#include "signatures/tool_types.hpp"
#include "signatures/type_names.hpp"
#include "signatures/typescript.hpp"

namespace signatures {

namespace {

std::string typescript_text(const tool_types& tool, const std::vector<named_type>& names, const std::string& name, const std::string& output_name) {
  type_names taken;
  for (auto& word : typescript::words)
    taken.reserve(word);
  std::string declarations;
  auto function = typescript{taken}.function(tool, names, output_name, 0, declarations);
  return typescript::comment(tool.doc, 0) + "declare function " + name + function + ";\n" + declarations;
}

std::string python_text(const tool_types& tool, const std::vector<named_type>& names, const std::string& name, const std::string& prefix) {
  python stub{{name}};
  auto function = stub.function(tool, names, name, prefix);
  return stub.header() + function;
}

} // namespace

bool is_too_large(const msg::tool_info& tool) { return tool.definition.text_bytes() > bounds::definition_bytes_max; }

std::string typescript_of(const msg::tool_info& tool) {
  auto name = msg::aliases_of(tool.name).camel;
  auto prefix = type_name(tool.name);
  if (is_too_large(tool))
    return typescript_text(plain_tool(tool), {}, name, prefix + "Output");
  std::vector<named_type> names;
  auto text = typescript_text(read_tool(tool, prefix, names), names, name, prefix + "Output");
  if (text.size() <= bounds::signature_bytes_max)
    return text;
  return typescript_text(plain_tool(tool), {}, name, prefix + "Output");
}

std::string python_of(const msg::tool_info& tool) {
  auto name = msg::aliases_of(tool.name).snake;
  auto prefix = type_name(tool.name);
  if (is_too_large(tool))
    return python_text(plain_tool(tool), {}, name, prefix);
  std::vector<named_type> names;
  auto text = python_text(read_tool(tool, prefix, names), names, name, prefix);
  if (text.size() <= bounds::signature_bytes_max)
    return text;
  return python_text(plain_tool(tool), {}, name, prefix);
}

} // namespace signatures
