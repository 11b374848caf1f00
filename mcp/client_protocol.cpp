#include "mcp/client_protocol.hpp"

#include "mcp/fields.hpp"
#include "mcp/revision.hpp"
#include "mcp/salvaged_id.hpp"
#include "mcp/trace.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

double number_or_zero(const json::object& object, std::string_view key) {
  auto* v = object.if_contains(key);
  json::error_code ec;
  return v ? v->to_number<double>(ec) : 0.0;
}

/// A request or a notification, however wrong the rest of it is: its id is one of the server's own, and no call of
/// ours.
bool is_call(const json::value& message) {
  auto* object = message.if_object();
  return object && object->contains("method");
}

/// Of a call that is no valid one. 0: it wants no answer.
int32_t refusal_code(const message_view& view, const json::value& message) {
  if (!message.get_object().contains("id"))
    return 0;
  bool is_named = !view.method.empty() && !view.id.is_null(); // then only its parameters can be wrong
  return is_named ? rpc_error::invalid_params : rpc_error::invalid_request;
}

/// `_meta` of a request; empty: it needs none.
json::object meta_of(int64_t id, const msg::tool_call& call) {
  json::object meta;
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

/// "message (code -32602)", whatever shape the error has.
std::string error_text(const json::value& error, size_t bytes_max, const masking& masked) {
  if (auto* text = error.if_string())
    return masked_excerpt(*text, bytes_max, masked);
  auto* fields = error.if_object();
  if (!fields)
    return masked_json(error, bytes_max, masked);
  auto text = masked_excerpt(string_or(*fields, "message", "no message"), bytes_max, masked);
  if (auto* code = fields->if_contains("code"); code && code->is_int64())
    text += " (code " + std::to_string(code->get_int64()) + ")";
  if (auto* data = fields->if_contains("data"))
    text += ": " + masked_json(*data, msg::limits::child_quote_bytes_max, masked);
  return text;
}

} // namespace

client_protocol::client_protocol(std::string server, client_callbacks callbacks)
  : server_(std::move(server)),
    callbacks_(std::move(callbacks)),
    tools_(server_) {}

int64_t client_protocol::send_request(std::string_view method, json::value params) {
  auto id = ++last_id_;
  return callbacks_.send(make_request(id, method, msg::document{std::move(params)}), id) ? id : 0;
}

void client_protocol::start() {
  json::object client{{"name", "code-executor"}, {"version", CODE_EXECUTOR_VERSION}};
  initialize_id_ = send_request("initialize", json::object{{"protocolVersion", name_of(latest_revision)},
                                                           {"capabilities", json::object{}},
                                                           {"clientInfo", std::move(client)}});
  if (initialize_id_ == 0)
    end_listing(fault{errc::overloaded, "server '" + server_ + "' does not read its requests"}.at(server_));
}

void client_protocol::initialized(const message_view& response) {
  initialize_id_ = 0;
  if (response.error)
    return end_listing(fault{errc::server_start_failed,
                             "server '" + server_ + "' refused initialize: "
                               + error_text(*response.error, msg::limits::child_problem_bytes_max, callbacks_.masked)}
                         .at(server_));
  if (!response.result->is_object())
    return end_listing(
      fault{errc::server_start_failed, "server '" + server_ + "' answered initialize with no object"}.at(server_));
  auto version = string_or(response.result->get_object(), "protocolVersion");
  if (!is_known(version))
    return end_listing(fault{errc::server_start_failed,
                             "server '" + server_ + "' speaks protocol revision '"
                               + masked_beginning(version, msg::limits::child_quote_bytes_max, callbacks_.masked)
                               + "', which is not supported"}
                         .at(server_));
  handshaken_ = true;
  callbacks_.send(make_notification("notifications/initialized", nullptr), 0);
  auto* capabilities = response.result->get_object().if_contains("capabilities");
  if (capabilities && capabilities->is_object() && !capabilities->get_object().contains("tools"))
    return end_listing(msg::listed_tools{}); // a server of resources or prompts only
  list_tools();
}

void client_protocol::list_tools() {
  if (listing())
    return;
  tools_.begin();
  request_tool_page({});
}

void client_protocol::request_tool_page(std::string_view cursor) {
  json::value params;
  if (!cursor.empty() || !tools_.is_at_first_page())
    params = json::object{{"cursor", cursor}}; // the empty string is a cursor like any other
  listing_id_ = send_request("tools/list", std::move(params));
  if (listing_id_ == 0)
    end_listing(fault{errc::overloaded, "server '" + server_ + "' does not read its requests"}.at(server_));
}

void client_protocol::give_up_listing(fault why) {
  if (listing())
    end_listing(std::move(why));
}

void client_protocol::end_listing(msg::outcome<msg::listed_tools> result) {
  listing_id_ = 0;
  if (auto read = result.ok() ? msg::tool_list{} : tools_.release(); !read.empty() && callbacks_.dropped)
    callbacks_.dropped(std::move(read));
  callbacks_.listed(std::move(result));
}

bool client_protocol::is_tool_page(const msg::document& message) const {
  auto* object = message.value().if_object();
  auto* id = object ? object->if_contains("id") : nullptr;
  return listing() && id && id->is_int64() && id->get_int64() == listing_id_ && tools_in(message.value());
}

void client_protocol::take_tools(const message_view& response, const msg::document& answer) {
  if (!tools_in(answer.value()))
    return end_listing(
      fault{errc::server_start_failed,
            "server '" + server_ + "' failed to list its tools: "
              + (response.error ? error_text(*response.error, msg::limits::child_problem_bytes_max, callbacks_.masked)
                                : "no array \"tools\"")}
        .at(server_));
  if (in_batch_ && answer.text_bytes() > msg::limits::json_inline_bytes_max) // no other thread reads it
    return end_listing(
      fault{errc::server_start_failed, "server '" + server_ + "' lists its tools in a batch of more than "
                                         + std::to_string(msg::limits::json_inline_bytes_max >> 10)
                                         + " KiB, which is the limit; have it answer that request by itself"}
        .at(server_));
  take_tool_page(read_tool_page(server_, answer));
}

void client_protocol::take_tool_page(tool_page page) {
  if (!listing())
    return;
  auto step = tools_.take(page);
  if (step.problem.code != errc::none) {
    if (callbacks_.dropped)
      callbacks_.dropped(std::move(page.tools));
    return end_listing(std::move(step.problem));
  }
  if (!step.warning.empty())
    callbacks_.logged("warning", std::move(step.warning));
  if (step.next)
    return request_tool_page(*step.next);
  end_listing(msg::listed_tools{tools_.release()});
}

bool client_protocol::call(const msg::tool_call& call) {
  auto id = ++last_id_;
  if (!send_call(id, call))
    return false;
  bool is_listing = call.method == msg::child_method::list_resources || call.method == msg::child_method::list_prompts;
  calls_.emplace(id, open_call{call.key, call.method,
                               is_listing ? std::optional<item_listing>{{server_, call.method}} : std::nullopt});
  ids_.emplace(call.key, id);
  return true;
}

bool client_protocol::send_call(int64_t id, const msg::tool_call& call) {
  if (call.method != msg::child_method::call_tool)
    return callbacks_.send(make_request(id, to_string(call.method), call.arguments), id);
  auto head = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":)"
              + text::to_text(json::value(call.tool));
  if (auto meta = meta_of(id, call); !meta.empty())
    head += R"(,"_meta":)" + text::to_text(json::value(std::move(meta)));
  return callbacks_.send({head + R"(,"arguments":)", call.arguments, "}}"}, id);
}

bool client_protocol::cancel(msg::call_key key, std::string_view reason) {
  auto found = ids_.extract(key);
  if (!found)
    return false;
  auto id = found.mapped();
  if (auto call = calls_.extract(id))
    drop_pages(call.mapped());
  if (callbacks_.take_back && callbacks_.take_back(id))
    return false;
  callbacks_.send(make_notification("notifications/cancelled", json::object{{"requestId", id}, {"reason", reason}}), 0);
  cancelled_.emplace(id, key);
  return true;
}

void client_protocol::forget_cancelled(const std::function<bool(msg::call_key)>& is_kept) {
  std::erase_if(cancelled_, [&](auto& call) { return !is_kept(call.second); });
}

/// False: that is not the number of a call that was cancelled.
bool client_protocol::ends_cancelled(int64_t id) {
  auto call = cancelled_.extract(id);
  if (call && callbacks_.ended)
    callbacks_.ended(call.mapped());
  return !call.empty();
}

std::string client_protocol::receive(const msg::document& message) {
  auto* batch = message.value().if_array(); // servers of revision 2025-03-26 may send them
  if (!batch)
    return receive_one(message);
  if (batch->size() > msg::limits::client_batch_max) { // answers may be lost with it: no call is left waiting
    auto problem = "sent a batch of " + std::to_string(batch->size()) + " messages; "
                   + std::to_string(msg::limits::client_batch_max) + " is the limit";
    fail_all(fault{errc::protocol_violation, "server '" + server_ + "' " + problem}.at(server_));
    return problem;
  }
  std::string problems;
  in_batch_ = true;
  for (auto& m : *batch)
    if (auto problem = receive_one(message.part(m)); !problem.empty())
      problems += (problems.empty() ? "" : "; ") + problem;
  in_batch_ = false;
  return problems;
}

std::string client_protocol::receive_one(const msg::document& message) {
  auto view = classify(message.value());
  switch (view.what) {
    case message_view::kind::request: answer_request(view); return {};
    case message_view::kind::notification: take_notification(view); return {};
    case message_view::kind::response: return take_response(view, message);
    case message_view::kind::invalid: break;
  }
  if (is_call(message.value())) {
    if (auto code = refusal_code(view, message.value()); code != 0)
      callbacks_.send(make_error(view.id, code, view.problem), 0);
  } else {
    fail_request(
      view.id.is_int64() ? view.id.get_int64() : 0,
      fault{errc::protocol_violation, "server '" + server_ + "' sent an invalid answer: " + view.problem}.at(server_));
  }
  return "sent an invalid message: " + view.problem;
}

/// False: it is no request of ours that is open.
bool client_protocol::fail_request(int64_t id, fault why) {
  if (ends_cancelled(id))
    return true;
  if (id != 0 && (id == initialize_id_ || id == listing_id_)) {
    initialize_id_ = 0;
    end_listing(std::move(why));
    return true;
  }
  auto call = calls_.extract(id);
  if (!call)
    return false;
  auto key = call.mapped().key;
  ids_.erase(key);
  drop_pages(call.mapped());
  callbacks_.answered(key, std::move(why));
  return true;
}

/// For a call that ends without them.
void client_protocol::drop_pages(open_call& call) const {
  if (call.listing && callbacks_.items_dropped)
    callbacks_.items_dropped(call.listing->release());
}

void client_protocol::answer_request(const message_view& request) {
  if (request.method == "ping")
    callbacks_.send(make_response(request.id, msg::document{json::object{}}), 0);
  else
    callbacks_.send(make_error(request.id, rpc_error::method_not_found,
                               "Method not found: " + text::quoted(request.method, msg::limits::child_quote_bytes_max)),
                    0);
}

void client_protocol::take_notification(const message_view& notification) {
  if (notification.method == "notifications/tools/list_changed")
    return callbacks_.tools_changed();
  if (!notification.params)
    return;
  auto& params = *notification.params;
  if (notification.method == "notifications/message") {
    auto* data = params.if_contains("data");
    auto level =
      masked_beginning(string_or(params, "level", "info"), msg::limits::child_quote_bytes_max, callbacks_.masked);
    callbacks_.logged(level,
                      data ? masked_json(*data, msg::limits::child_quote_bytes_max, callbacks_.masked) : std::string{});
  } else if (notification.method == "notifications/progress") {
    auto* token = params.if_contains("progressToken");
    auto found = token && token->is_int64() ? calls_.find(token->get_int64()) : calls_.end();
    if (found != calls_.end())
      callbacks_.progressed(
        {found->second.key, number_or_zero(params, "progress"), number_or_zero(params, "total"),
         masked_excerpt(string_or(params, "message"), msg::limits::child_quote_bytes_max, callbacks_.masked)});
  }
}

std::string client_protocol::take_response(const message_view& response, const msg::document& message) {
  auto id = response.id.is_int64() ? response.id.get_int64() : 0;
  if (id != 0 && id == initialize_id_)
    return initialized(response), std::string{};
  if (id != 0 && id == listing_id_)
    return take_tools(response, message), std::string{};
  if (ends_cancelled(id))
    return {};
  auto found = calls_.find(id);
  if (found == calls_.end())
    return "answered a request that is not open (id "
           + masked_json(response.id, msg::limits::child_quote_bytes_max, callbacks_.masked)
           + "): late, doubled or wrong";
  auto call = std::move(found->second);
  calls_.erase(found);
  ids_.erase(call.key);
  answer_call(std::move(call), response, message);
  return {};
}

void client_protocol::answer_call(open_call call, const message_view& response, const msg::document& message) {
  if (response.error && call.listing && call.listing->may_be_refused())
    return callbacks_.items_listed(call.key, call.listing->release());
  if (response.error || !response.result->is_object())
    drop_pages(call);
  if (response.error) {
    auto text = error_text(*response.error, msg::limits::child_error_bytes_max, callbacks_.masked);
    if (call.method != msg::child_method::call_tool) // a tool's name says whose it is; "not found" alone says nothing
      text = std::string{to_string(call.method)} + " of server '" + server_ + "' failed: " + text;
    return callbacks_.answered(call.key, fault{errc::tool_failed, std::move(text)}.at(server_));
  }
  if (!response.result->is_object())
    return callbacks_.answered(
      call.key, fault{errc::protocol_violation, "server '" + server_ + "' answered a call with no object"}.at(server_));
  if (call.listing)
    return take_list_page(std::move(call), response, message);
  callbacks_.answered(call.key, message.part(*response.result));
}

void client_protocol::take_list_page(open_call call, const message_view& response, const msg::document& message) {
  auto step = call.listing->take(response.result->get_object(), message);
  if (step.problem.code != errc::none) {
    drop_pages(call);
    return callbacks_.answered(call.key, std::move(step.problem));
  }
  if (step.is_over)
    return callbacks_.items_listed(call.key, call.listing->release());
  request_list_page(std::move(call), step.cursor);
}

void client_protocol::request_list_page(open_call call, std::string_view cursor) {
  json::value params = json::object{};
  if (!cursor.empty())
    params = json::object{{"cursor", cursor}};
  auto id = send_request(call.listing->request(), std::move(params));
  if (id == 0) {
    drop_pages(call);
    return callbacks_.answered(
      call.key, fault{errc::overloaded, "server '" + server_ + "' does not read its requests"}.at(server_));
  }
  ids_.emplace(call.key, id);
  calls_.emplace(id, std::move(call));
}

bool client_protocol::fail_broken(std::string_view line, const std::string& problem) {
  return fail_request(
    salvaged_id(line),
    fault{errc::protocol_violation, "server '" + server_ + "' sent a broken message: " + problem}.at(server_));
}

void client_protocol::fail_all(const fault& why) {
  auto calls = std::exchange(calls_, {});
  ids_.clear();
  cancelled_.clear();
  for (auto& [id, call] : calls) {
    drop_pages(call);
    callbacks_.answered(call.key, why);
  }
  if (initialize_id_ != 0 || listing_id_ != 0) {
    initialize_id_ = 0;
    end_listing(why);
  }
}

} // namespace mcp
