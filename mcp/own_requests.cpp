#include "mcp/own_requests.hpp"

#include "mcp/declared_abilities.hpp"
#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/trace.hpp"
#include "text/json_text.hpp"

#include <string>
#include <utility>

namespace mcp {

namespace json = boost::json;

namespace {

/// `abilities`: of the client that it is asked for.
json::object meta_of(revision spoken, const msg::client_abilities& abilities = {}) {
  if (has_handshake(spoken))
    return {};
  return {{meta_key::version, name_of(spoken)},
          {meta_key::client, own_name()},
          {meta_key::capabilities, declared(abilities)}};
}

/// Empty: it needs none.
json::object meta_of(revision spoken, int64_t id, const msg::tool_call& call) {
  auto meta = meta_of(spoken, call.asker.abilities);
  if (!has_handshake(spoken) && call.asker.log.is_asked)
    meta[meta_key::log_level] = to_string(call.asker.log.from);
  if (call.wants_progress)
    meta["progressToken"] = id;
  if (call.trace.parent.empty())
    return meta;
  meta["traceparent"] = call.trace.parent;
  meta[run_marker] = true;
  if (!call.trace.state.empty())
    meta["tracestate"] = call.trace.state;
  if (!call.trace.baggage.empty())
    meta["baggage"] = call.trace.baggage;
  return meta;
}

request_labels labels_of(revision spoken, std::string_view method, std::string_view name = {}) {
  request_labels out;
  if (!has_handshake(spoken)) {
    out.method = method;
    out.name = name;
  }
  out.about.method = method;
  return out;
}

/// With what the call is about.
own_request of_call(own_request request, const msg::tool_call& call) {
  auto& about = request.labels.about;
  about.method = to_string(call.method);
  if (call.method == msg::child_method::call_tool)
    about.tool = call.tool;
  about.call = call.key;
  about.faults = call.faults;
  return request;
}

std::string beginning_of(int64_t id, std::string_view method) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":)" + text::to_text(json::value(method));
}

std::string members(const json::object& more) {
  std::string out;
  for (auto& [key, value] : more)
    out += "," + text::to_text(json::value(key)) + ":" + text::to_text(value);
  return out;
}

/// Arguments that may be large are the last member, and stay where they are.
own_request make_request_with_meta(revision spoken, int64_t id, const msg::tool_call& call, const json::object& more) {
  auto method = to_string(call.method);
  auto head =
    beginning_of(id, method) + R"(,"params":{"_meta":)" + text::to_text(json::value(meta_of(spoken, id, call)));
  const json::object none;
  auto* given = call.arguments.value().if_object();
  auto& params = given ? *given : none;
  for (auto& [key, value] : params)
    if (key != "arguments" && key != "_meta") // which is of each hop
      head += "," + text::to_text(json::value(key)) + ":" + text::to_text(value);
  head += members(more);
  auto* arguments = params.if_contains("arguments");
  auto labels = labels_of(spoken, method, string_or(params, member_named(method)));
  if (!arguments)
    return {msg::spliced_text{head + "}}"}, std::move(labels)};
  return {{head + R"(,"arguments":)", call.arguments.part(*arguments), "}}"}, std::move(labels)};
}

} // namespace

json::object own_name() { return {{"name", own_program_name}, {"version", CODE_EXECUTOR_VERSION}}; }

own_request make_own_request(revision spoken, int64_t id, std::string_view method, const json::value& params) {
  if (has_handshake(spoken))
    return {make_request(id, method, msg::document{params}), labels_of(spoken, method)};
  auto all = params.is_object() ? params.get_object() : json::object{};
  all["_meta"] = meta_of(spoken);
  return {make_request(id, method, msg::document{std::move(all)}), labels_of(spoken, method)};
}

own_request make_own_notification(revision spoken, std::string_view method, const json::value& params) {
  return {make_notification(method, params), labels_of(spoken, method)};
}

own_request make_call(revision spoken, int64_t id, const msg::tool_call& call, const json::object& more) {
  if (call.method != msg::child_method::call_tool)
    return of_call(has_handshake(spoken) ? own_request{make_request(id, to_string(call.method), call.arguments), {}}
                                         : make_request_with_meta(spoken, id, call, more),
                   call);
  auto head = beginning_of(id, "tools/call") + R"(,"params":{"name":)" + text::to_text(json::value(call.tool));
  if (auto meta = meta_of(spoken, id, call); !meta.empty())
    head += R"(,"_meta":)" + text::to_text(json::value(std::move(meta)));
  return of_call(
    {{head + members(more) + R"(,"arguments":)", call.arguments, "}}"}, labels_of(spoken, "tools/call", call.tool)},
    call);
}

} // namespace mcp
