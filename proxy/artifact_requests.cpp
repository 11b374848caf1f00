#include "proxy/artifact_requests.hpp"

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

namespace {

fault wrong(std::string_view name, const std::string& expected, const json::value* given) {
  auto text = given ? text::json_beginning(*given, 2 * shown_bytes_max) : "null";
  return {errc::invalid_argument, "readOutput: '" + std::string{name} + "' must be " + expected + ", not " + text::quoted(text, shown_bytes_max)};
}

/// Null is as good as nothing.
const json::value* given(const json::object& params, std::string_view name) {
  auto* value = params.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

fault read_count(const json::object& params, std::string_view name, uint64_t& to) {
  auto* value = given(params, name);
  if (!value)
    return {};
  if (!value->is_int64() || value->get_int64() < 0)
    return wrong(name, "an integer from 0", value);
  to = static_cast<uint64_t>(value->get_int64());
  return {};
}

} // namespace

msg::outcome<msg::artifact_query> parse_output_request(const json::object& params) {
  msg::artifact_query out;
  auto *handle = given(params, "handle"), *path = given(params, "path");
  if (!handle || !handle->is_string() || handle->get_string().size() > limits::path_bytes_max)
    return wrong("handle", "a text such as \"out_abcdefghij\"", handle);
  if (path && (!path->is_string() || path->get_string().size() > limits::path_bytes_max))
    return wrong("path", "a text such as \"items[3].name\"", path);
  out.handle = handle->get_string();
  out.path = path ? std::string{path->get_string()} : std::string{};
  if (auto problem = read_count(params, "offset", out.offset); problem.code != errc::none)
    return problem;
  if (auto problem = read_count(params, "limit", out.limit); problem.code != errc::none)
    return problem;
  return out;
}

} // namespace proxy
