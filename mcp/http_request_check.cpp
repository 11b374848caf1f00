#include "mcp/http_request_check.hpp"

#include "mcp/field_coding.hpp"
#include "messages/limits.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>

namespace mcp {

namespace {

constexpr size_t shown_field_bytes_max = 80;
constexpr std::string_view json_type = "application/json";
constexpr std::string_view events_type = "text/event-stream";

http_refusal refusal(uint16_t status, int32_t code, std::string why) { return {status, {code, std::move(why), {}}}; }

http_refusal mismatch(std::string why) {
  return refusal(400, rpc_error::header_mismatch, "Header mismatch: " + std::move(why));
}

/// Without parameters and white space.
std::string media_type(std::string_view value) {
  return text::in_small_letters(text::trimmed(value.substr(0, value.find(';'))));
}

/// Fields of one name count together, as if joined by commas (RFC 9110, 5.3).
bool accepts(const http::headers& fields, std::string_view wanted) {
  bool is_told = false;
  auto kind = wanted.substr(0, wanted.find('/') + 1);
  for (auto& field : fields) {
    if (field.name != "accept")
      continue;
    is_told = true;
    for (std::string_view rest = field.value; !rest.empty();) {
      auto comma = std::min(rest.find(','), rest.size());
      auto type = media_type(rest.substr(0, comma));
      if (type == wanted || type == "*/*" || type == std::string{kind} + "*")
        return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return !is_told; // who says nothing takes anything (RFC 9110, 12.5.1)
}

/// Nothing: there is no such field, or there are several.
std::optional<std::string> only(const http::headers& fields, std::string_view name) {
  std::optional<std::string> found;
  for (auto& field : fields)
    if (field.name == name) {
      if (found)
        return std::nullopt;
      found = field.value;
    }
  return found;
}

http_refusal check_method(const message_view& message, const http::headers& fields) {
  auto told = only(fields, http_field::method);
  if (!told)
    return mismatch("there must be one Mcp-Method header, with the method of the message");
  if (decoded_field(*told) != message.method)
    return mismatch("Mcp-Method header value " + text::quoted(*told, shown_field_bytes_max)
                    + " does not match body value " + text::quoted(message.method, shown_field_bytes_max));
  auto member = member_named(message.method);
  auto* value = member.empty() || !message.params ? nullptr : message.params->if_contains(member);
  if (!value || !value->is_string())
    return {}; // of no thing that has a name, or the call itself is wrong
  auto name = only(fields, http_field::name);
  if (!name)
    return mismatch("there must be one Mcp-Name header, with the '" + std::string{member} + "' of the message");
  if (decoded_field(*name) != std::string_view{value->get_string()})
    return mismatch("Mcp-Name header value " + text::quoted(*name, shown_field_bytes_max)
                    + " does not match body value " + text::quoted(value->get_string(), shown_field_bytes_max));
  return {};
}

} // namespace

http_refusal check_post(const http::headers& fields) {
  auto type = only(fields, "content-type");
  if (!type || media_type(*type) != json_type)
    return refusal(415, rpc_error::invalid_request,
                   "Unsupported Media Type: Content-Type must be application/json, not "
                     + (type ? text::quoted(*type, shown_field_bytes_max) : "absent or repeated"));
  if (!accepts(fields, json_type) || !accepts(fields, events_type))
    return refusal(406, rpc_error::invalid_request,
                   "Not Acceptable: Accept must have both application/json and text/event-stream");
  return {};
}

http_refusal check_get(const http::headers& fields) {
  return accepts(fields, events_type)
           ? http_refusal{}
           : refusal(406, rpc_error::invalid_request, "Not Acceptable: Accept must have text/event-stream");
}

bool is_sessionless(const message_view& message, const http::headers& fields) {
  if (has_envelope(message))
    return true;
  auto told = only(fields, http_field::revision);
  return told && !is_known(*told);
}

http_refusal check_sessionless(const message_view& message, const http::headers& fields, served_methods served) {
  if (message.what != message_view::kind::request)
    return {}; // nothing is answered
  auto refused = read_envelope(message).refused;
  bool is_unsupported = refused.code == rpc_error::unsupported_revision;
  if (refused && !is_unsupported)
    return {400, std::move(refused)};
  auto told = only(fields, http_field::revision);
  if (!told)
    return mismatch("there must be one MCP-Protocol-Version header, with the revision of the message");
  if (*told != claimed_revision(message))
    return mismatch("MCP-Protocol-Version header value " + text::quoted(*told, shown_field_bytes_max)
                    + " does not match body value " + text::quoted(claimed_revision(message), shown_field_bytes_max));
  if (is_unsupported)
    return {400, std::move(refused)};
  if (auto wrong = check_method(message, fields))
    return wrong;
  if (served == served_methods::ours ? is_modern_method(message.method) : !is_gone_method(message.method))
    return {};
  return refusal(404, rpc_error::method_not_found,
                 "Method not found: " + text::quoted(message.method, shown_field_bytes_max));
}

http_refusal check_session(const message_view& message, const http::headers& fields) {
  auto* wanted = message.params ? message.params->if_contains("protocolVersion") : nullptr;
  if (message.method == "initialize" && (!wanted || !wanted->is_string()))
    return refusal(400, rpc_error::invalid_params, "Invalid params: 'protocolVersion' must be a string");
  auto told = only(fields, http_field::revision);
  bool is_there = std::any_of(fields.begin(), fields.end(), [](auto& f) { return f.name == http_field::revision; });
  if (!is_there || (told && is_known(*told)))
    return {};
  return refusal(400, rpc_error::invalid_request,
                 "Bad Request: unsupported MCP-Protocol-Version "
                   + text::quoted(told.value_or(""), shown_field_bytes_max));
}

http::headers headers_of_arguments(const http::headers& fields) {
  constexpr std::string_view prefix = "mcp-param-";
  http::headers out;
  for (auto& field : fields)
    if (field.name.starts_with(prefix))
      out.push_back(field);
  return out;
}

bool wants_answer(const boost::json::value& message) {
  if (!message.is_array())
    return classify(message).what == message_view::kind::request;
  auto& all = message.get_array();
  bool is_refused = all.empty() || all.size() > msg::limits::client_batch_max;
  return is_refused || std::any_of(all.begin(), all.end(), [](auto& each) {
           auto what = classify(each).what;
           return what == message_view::kind::request || what == message_view::kind::invalid;
         });
}

} // namespace mcp
