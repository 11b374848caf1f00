#include "proxy/types/tool_signature.hpp"

#include "proxy/types/bounds.hpp"
#include "proxy/types/example_call.hpp"
#include "proxy/types/python.hpp"
#include "proxy/types/tool_types.hpp"
#include "proxy/types/type_names.hpp"
#include "proxy/types/typescript.hpp"
#include "text/aliases.hpp"

#include <algorithm>

namespace types {

namespace {

/// In the namespace by which a program calls it, if there is one.
std::string typescript_text(const tool_types& tool, const std::vector<named_type>& names, const msg::tool_info& of,
                            const std::string& output_name) {
  type_names taken;
  for (auto& word : typescript::words)
    taken.reserve(word);
  std::string declarations;
  auto place = namespace_of(of, msg::language::typescript);
  size_t indent = place.empty() ? 0 : 2;
  auto function = "function " + text::aliases_of(of.name).camel
                  + typescript{taken}.function(tool, names, output_name, indent, declarations) + ";\n";
  auto doc = typescript::comment(tool.doc, indent);
  if (place.empty())
    return doc + "declare " + function + declarations;
  return "declare namespace " + place + " {\n" + doc + "  " + function + "}\n" + declarations;
}

std::string python_text(const tool_types& tool, const std::vector<named_type>& names, const std::string& name,
                        const std::string& prefix) {
  python stub{{name}};
  auto function = stub.function(tool, names, name, prefix);
  return stub.header() + function;
}

} // namespace

bool is_too_large(const msg::tool_info& tool) { return tool.definition.text_bytes() > bounds::definition_bytes_max; }

std::string typescript_of(const msg::tool_info& tool) {
  auto prefix = type_name(tool.name);
  if (is_too_large(tool))
    return typescript_text(plain_tool(tool), {}, tool, prefix + "Output");
  std::vector<named_type> names;
  auto text = typescript_text(read_tool(tool, prefix, names), names, tool, prefix + "Output");
  if (text.size() <= bounds::signature_bytes_max)
    return text;
  return typescript_text(plain_tool(tool), {}, tool, prefix + "Output");
}

std::string python_of(const msg::tool_info& tool) {
  auto name = text::aliases_of(tool.name).snake;
  if (!python::may_be_function(name)) // it is called by its own name, and this one would mean something else
    name = "_" + name.substr(std::min(name.find_first_not_of('_'), name.size()));
  auto prefix = type_name(tool.name);
  if (is_too_large(tool))
    return python_text(plain_tool(tool), {}, name, prefix);
  std::vector<named_type> names;
  auto text = python_text(read_tool(tool, prefix, names), names, name, prefix);
  if (text.size() <= bounds::signature_bytes_max)
    return text;
  return python_text(plain_tool(tool), {}, name, prefix);
}

} // namespace types
