#include "proxy/memory_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/shown.hpp"
#include "text/json_beginning.hpp"
#include "text/utf8.hpp"

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
  {"memory_save", memory_operation::memory_save},     {"memory_load", memory_operation::memory_load}, {"memory_list", memory_operation::memory_list},
  {"memory_delete", memory_operation::memory_delete}, {"tool_save", memory_operation::tool_save},     {"tool_load", memory_operation::tool_load},
  {"tool_list", memory_operation::tool_list},         {"tool_delete", memory_operation::tool_delete},
};

/// Reads the parameters of one request and remembers the first that is wrong.
class memory_reader {
public:
  memory_reader(std::string_view method, const json::object& params) : method_(method), params_(params) {}

  std::string text(std::string_view name) {
    auto* v = params_.if_contains(name);
    if (!v || !v->is_string())
      return complain(name, "a string", v), std::string{};
    return std::string{v->get_string()};
  }

  /// May also be missing or null.
  std::string optional_text(std::string_view name) {
    auto* v = params_.if_contains(name);
    return v && !v->is_null() ? text(name) : std::string{};
  }

  int64_t version() {
    auto* v = params_.if_contains("if_version");
    if (!v || v->is_null())
      return msg::memory_request::any_version;
    if (!v->is_int64() || v->get_int64() < 0)
      complain("if_version", "an integer from 0", v);
    return v->is_int64() ? v->get_int64() : 0;
  }

  void complain(std::string_view name, const std::string& expected, const json::value* given) {
    if (problem.code == errc::none)
      problem = {errc::invalid_argument,
                 std::string{method_} + ": '" + std::string{name} + "' must be " + expected
                   + (given ? ", not " + text::quoted(text::json_beginning(*given, 2 * shown_bytes_max), shown_bytes_max) : "")};
  }

  fault problem;

private:
  std::string_view method_;
  const json::object& params_;
};

void read_save(memory_reader& r, const msg::document& frame, const json::object& params, msg::memory_request& to) {
  auto *value = params.if_contains("value"), *metadata = params.if_contains("metadata");
  if (!value)
    return r.complain("value", "given", nullptr);
  to.value = frame.part(*value);
  to.has_metadata = metadata != nullptr;
  if (metadata)
    to.metadata = frame.part(*metadata);
  to.if_version = r.version();
}

} // namespace

std::optional<msg::outcome<msg::memory_request>> parse_memory_request(std::string_view name, const msg::document& frame, const json::object& params) {
  const method* found = nullptr;
  for (auto& m : methods)
    found = m.name == name ? &m : found;
  if (!found)
    return std::nullopt;
  if (frame.text_bytes() > limits::memory_frame_bytes_max)
    return fault{errc::limit_exceeded, std::string{name} + ": the request has " + std::to_string(frame.text_bytes()) + " bytes; a value may have "
                                         + std::to_string(limits::memory_value_bytes_max >> 10) + " KiB"};
  memory_reader r{name, params};
  msg::memory_request out;
  out.operation = found->operation;
  bool is_about_tools = name.starts_with("tool_");
  if (!name.ends_with("_list"))
    out.key = r.text(is_about_tools ? "name" : "key");
  if (out.operation == memory_operation::memory_save)
    read_save(r, frame, params, out);
  if (out.operation == memory_operation::tool_save) {
    out.source = r.text("source");
    out.description = r.optional_text("description");
  }
  if (r.problem.code != errc::none)
    return std::move(r.problem);
  return out;
}

} // namespace proxy
