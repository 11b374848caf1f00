#include "proxy/types/tool_types.hpp"

#include "proxy/types/combine.hpp"
#include "proxy/types/schema_reader.hpp"
#include "proxy/types/settle.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace types {

namespace json = boost::json;

namespace {

const json::value* schema_at(const msg::tool_info& tool, std::string_view key) {
  auto* definition = tool.definition.value().if_object();
  auto* schema = definition ? definition->if_contains(key) : nullptr;
  return schema && schema->is_object() ? schema : nullptr;
}

/// Line ends stay; other control characters go.
std::string doc_lines(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (out.size() > bounds::tool_doc_bytes_max && (byte & 0xC0) != 0x80)
      return out + "...";
    if (c == '\n')
      out.erase(out.find_last_not_of(' ') + 1);
    if ((byte >= ' ' && byte != 0x7f) || (c == '\n' && !out.empty()))
      out += c;
    else if (c == '\t')
      out += ' ';
  }
  out.erase(out.find_last_not_of(" \n") + 1);
  return out;
}

type any_object() {
  auto out = of_kind(kind::object);
  out.rest.emplace_back();
  return out;
}

bool is_object(const type& t, const std::vector<named_type>& names) {
  auto& body = body_of(t, names);
  return body.is == kind::object
         || (body.is == kind::choice && std::all_of(body.parts.begin(), body.parts.end(), [&](auto& p) {
               return body_of(p, names).is == kind::object;
             }));
}

bool may_be_empty(const type& t, const std::vector<named_type>& names) {
  auto fits = [&](const type& part) {
    auto& fields = body_of(part, names).fields;
    return std::none_of(fields.begin(), fields.end(), [](auto& f) { return f.required; });
  };
  return t.is == kind::choice ? std::any_of(t.parts.begin(), t.parts.end(), fits) : fits(t);
}

/// Of a tool without parameters servers say that they are an object, and nothing more.
bool takes_nothing(const json::object& schema) {
  auto* others = schema.if_contains("additionalProperties");
  auto* properties = schema.if_contains("properties");
  return (schema.contains("type") || properties) && (!others || *others == json::value(false))
         && !schema.contains("patternProperties");
}

std::string observed_doc(const json::object& schema) {
  auto* mark = schema.if_contains("x-observed");
  auto* object = mark ? mark->if_object() : nullptr;
  auto* samples = object ? object->if_contains("samples") : nullptr;
  if (!samples || !samples->is_int64())
    return {};
  auto n = samples->get_int64();
  return "observed in " + std::to_string(n) + (n == 1 ? " result" : " results") + ", not declared by the server";
}

} // namespace

tool_types read_tool(const msg::tool_info& tool, const std::string& prefix, std::vector<named_type>& names) {
  tool_types out;
  out.doc = doc_lines(tool.description);
  out.input = any_object();
  auto first = names.size();
  auto *input = schema_at(tool, "inputSchema"), *output = schema_at(tool, "outputSchema");
  if (!output && tool.observed.value().is_object())
    output = &tool.observed.value();
  if (input)
    out.input = schema_reader{*input, prefix, "Input", names}.read();
  if (output) {
    out.output = schema_reader{*output, prefix, "Output", names}.read();
    out.output_doc = observed_doc(output->get_object());
  }
  settle(names, first, {&out.input, &out.output});
  if (out.input.is == kind::named) {
    auto body = names[out.input.name].is;
    out.input = std::move(body);
  }
  bool is_bare = out.input.is == kind::object && out.input.fields.empty();
  if (!is_object(out.input, names))
    out.input = any_object();
  out.takes_nothing = is_bare && input && takes_nothing(input->get_object());
  out.may_omit_input = may_be_empty(out.input, names);
  return out;
}

tool_types plain_tool(const msg::tool_info& tool) {
  tool_types out;
  out.doc = doc_lines(tool.description);
  out.input = any_object();
  return out;
}

} // namespace types
