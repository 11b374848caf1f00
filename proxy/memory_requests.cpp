#include "proxy/memory_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/parameter_reader.hpp"
#include "text/printable.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace proxy {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::memory_operation;

namespace {

struct method {
  std::string_view name;
  memory_operation operation;
};
constexpr method methods[] = {
  {"memory_save", memory_operation::memory_save}, {"memory_load", memory_operation::memory_load},
  {"memory_list", memory_operation::memory_list}, {"memory_delete", memory_operation::memory_delete},
  {"tool_save", memory_operation::tool_save},     {"tool_load", memory_operation::tool_load},
  {"tool_list", memory_operation::tool_list},     {"tool_delete", memory_operation::tool_delete},
};

void read_save(parameter_reader& r, const msg::document& frame, const json::object& params, msg::memory_request& to) {
  auto *value = params.if_contains("value"), *metadata = params.if_contains("metadata");
  if (!value)
    return r.complain("value", "given");
  to.value = frame.part(*value);
  to.has_metadata = metadata != nullptr;
  if (metadata)
    to.metadata = frame.part(*metadata);
  to.if_version = r.integer_from_0("if_version", msg::memory_request::any_version);
}

} // namespace

std::optional<msg::outcome<msg::memory_request>> parse_memory_request(std::string_view name, const msg::document& frame,
                                                                      const json::object& params) {
  const method* found = nullptr;
  for (auto& m : methods)
    found = m.name == name ? &m : found;
  if (!found)
    return std::nullopt;
  if (frame.text_bytes() > limits::memory_frame_bytes_max)
    return fault{errc::limit_exceeded, std::string{name} + ": the request has " + std::to_string(frame.text_bytes())
                                         + " bytes; a value may have "
                                         + std::to_string(limits::memory_value_bytes_max >> 10) + " KiB"};
  parameter_reader r{name, params};
  msg::memory_request out;
  out.operation = found->operation;
  bool is_about_tools = name.starts_with("tool_");
  auto* key = is_about_tools ? "name" : "key";
  if (!name.ends_with("_list"))
    out.key = r.required_text(key, limits::memory_frame_bytes_max);
  if (name.ends_with("_save") && text::find_control(out.key) != std::string::npos)
    r.complain(key, "a text without control characters", params.if_contains(key));
  if (out.operation == memory_operation::memory_save)
    read_save(r, frame, params, out);
  if (out.operation == memory_operation::tool_save) {
    out.source = r.required_text("source", limits::memory_frame_bytes_max);
    out.description = r.text("description", limits::memory_frame_bytes_max);
  }
  if (!r.ok())
    return std::move(r.problem);
  return out;
}

} // namespace proxy
