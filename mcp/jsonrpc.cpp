#include "mcp/jsonrpc.hpp"

#include "text/json_text.hpp"

#include <cmath>

namespace mcp {

namespace json = boost::json;

namespace {

/// Doubles hold all whole numbers up to it.
constexpr double whole_double_max = 9'007'199'254'740'992; // 2^53

/// Null: it is no usable one. `3.0` is 3: some write all numbers so.
json::value usable_id(const json::value& id) {
  if (auto* number = id.if_double(); number && std::abs(*number) <= whole_double_max && std::trunc(*number) == *number)
    return static_cast<int64_t>(*number);
  if (auto* text = id.if_string())
    return text->size() <= id_bytes_max ? id : json::value{};
  return id.is_int64() || id.is_uint64() ? id : json::value{};
}

message_view invalid(message_view view, std::string problem) {
  view.what = message_view::kind::invalid;
  view.problem = std::move(problem);
  return view;
}

message_view classify_call(message_view view, const json::object& object, const json::value& method) {
  if (!method.is_string())
    return invalid(std::move(view), "\"method\" must be a string");
  if (method.get_string().size() > method_bytes_max)
    return invalid(std::move(view), "\"method\" has more than " + std::to_string(method_bytes_max) + " bytes");
  view.method = method.get_string();
  if (auto* params = object.if_contains("params")) {
    if (!params->is_object())
      return invalid(std::move(view), "\"params\" must be an object");
    view.params = &params->get_object();
  }
  auto* id = object.if_contains("id");
  if (id && view.id.is_null())
    return invalid(std::move(view),
                   "\"id\" must be an integer or a string of at most " + std::to_string(id_bytes_max) + " bytes");
  view.what = id ? message_view::kind::request : message_view::kind::notification;
  return view;
}

message_view classify_response(message_view view, const json::object& object) {
  view.result = object.if_contains("result");
  view.error = object.if_contains("error");
  if ((view.result != nullptr) == (view.error != nullptr))
    return invalid(std::move(view), "a message needs \"method\", or exactly one of \"result\" and \"error\"");
  view.what = message_view::kind::response;
  return view;
}

} // namespace

message_view classify(const json::value& message) {
  message_view view;
  if (!message.is_object())
    return invalid(std::move(view), "a message must be an object");
  auto& object = message.get_object();
  if (auto* id = object.if_contains("id"))
    view.id = usable_id(*id);
  auto* version = object.if_contains("jsonrpc");
  if (!version || !version->is_string() || version->get_string() != "2.0")
    return invalid(std::move(view), "\"jsonrpc\" must be \"2.0\"");
  if (auto* method = object.if_contains("method"))
    return classify_call(std::move(view), object, *method);
  return classify_response(std::move(view), object);
}

msg::spliced_text make_request(const json::value& id, std::string_view method, const msg::document& params) {
  auto head = R"({"jsonrpc":"2.0","id":)" + text::to_text(id) + R"(,"method":)" + text::to_text(json::value(method));
  if (params.value().is_null())
    return msg::spliced_text{head + "}"};
  return {head + R"(,"params":)", params, "}"};
}

msg::spliced_text make_notification(std::string_view method, const json::value& params) {
  json::object message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null())
    message["params"] = params;
  return msg::spliced_text{text::to_text(message)};
}

msg::spliced_text make_response(const json::value& id, msg::document result) {
  return {R"({"jsonrpc":"2.0","id":)" + text::to_text(id) + R"(,"result":)", std::move(result), "}"};
}

msg::spliced_text make_error(const json::value& id, int32_t code, std::string_view message, const json::value& data) {
  json::object error{{"code", code}, {"message", message}};
  if (!data.is_null())
    error["data"] = data;
  return msg::spliced_text{text::to_text(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}})};
}

} // namespace mcp
