#include "mcp/client_protocol.hpp"

#include "mcp/declared_abilities.hpp"
#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "mcp/salvaged_id.hpp"
#include "mcp/told_error.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// A list of tools in a batch is read where it arrives, and not on another thread as long ones are: 1 to 4 ms.
constexpr size_t batch_list_bytes_max = 256u << 10;

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

} // namespace

client_protocol::client_protocol(std::string server, client_callbacks callbacks)
  : server_(std::move(server)),
    callbacks_(std::move(callbacks)),
    opening_([this](std::string_view method) { return send_opening(method); }),
    tools_(server_),
    questions_(server_, {[this](msg::server_question asked) {
                           if (callbacks_.asked)
                             return callbacks_.asked(std::move(asked));
                           questions_.answered(asked.number, fault{errc::not_allowed, "nobody can be asked"});
                         },
                         [this](msg::call_key call, uint64_t question) {
                           if (callbacks_.withdrawn)
                             callbacks_.withdrawn(call, question);
                         }}),
    requests_(server_, questions_, [this](msg::spliced_text text) { callbacks_.send(std::move(text), 0, {}); }),
    calls_(
      server_, callbacks_,
      {[this] { return ++last_id_; }, [this](own_request request, int64_t id) { return send(std::move(request), id); }},
      questions_) {}

int64_t client_protocol::send_request(std::string_view method, const json::value& params) {
  auto id = ++last_id_;
  return send(make_own_request(spoken_, id, method, params), id) ? id : 0;
}

bool client_protocol::send(own_request request, int64_t id) {
  return callbacks_.send(std::move(request.text), id, std::move(request.labels));
}

// ---- the opening -----------------------------------------------------------------------------

void client_protocol::start(opening first, const msg::client_abilities& abilities) {
  abilities_ = abilities;
  opened(opening_.start(first));
}

void client_protocol::stop_waiting_for_discovery() { opened(opening_.stop_waiting()); }

int64_t client_protocol::send_opening(std::string_view method) {
  auto id = ++last_id_;
  bool is_discovery = method == "server/discover";
  json::value params;
  if (!is_discovery)
    params = json::object{{"protocolVersion", name_of(latest_revision)},
                          {"capabilities", declared(abilities_)},
                          {"clientInfo", own_name()}};
  auto spoken = is_discovery ? revision::r2026_07_28 : latest_revision;
  return send(make_own_request(spoken, id, method, params), id) ? id : 0;
}

void client_protocol::opened(client_opening::end how) {
  if (!how)
    return;
  if (how->what == opening_answer::kind::failed)
    return end_listing(
      fault{how->is_unread ? errc::overloaded : errc::server_start_failed, "server '" + server_ + "' " + how->problem}
        .at(server_));
  handshaken_ = true;
  if (opening_.open_discovery() != 0 && callbacks_.take_back)
    callbacks_.take_back(opening_.open_discovery()); // over HTTP its stream ends
  bool is_modern = how->what == opening_answer::kind::modern;
  spoken_ = is_modern ? revision::r2026_07_28 : latest_revision;
  calls_.speak(spoken_, !is_modern && how->takes_log_levels ? level_requests::known : level_requests::unknown);
  if (!is_modern)
    send(make_own_notification(spoken_, "notifications/initialized", nullptr), 0);
  if (!how->has_tools)
    return end_listing(msg::listed_tools{});
  announces_changes_ = is_modern && how->announces_changes;
  listen(); // first: no change is missed
  list_tools();
}

void client_protocol::listen() {
  if (announces_changes_ && listen_id_ == 0)
    listen_id_ =
      send_request("subscriptions/listen", json::object{{"notifications", json::object{{"toolsListChanged", true}}}});
}

void client_protocol::listen_again() {
  if (!announces_changes_ || listen_id_ != 0)
    return;
  listen();
  callbacks_.tools_changed();
}

/// Its stream was closed, or broke.
void client_protocol::end_listening(const json::value* error) {
  listen_id_ = 0;
  if (error_code(error) == rpc_error::method_not_found)
    announces_changes_ = false; // it has promised what it has not
  else if (callbacks_.listening_ended)
    callbacks_.listening_ended();
}

// ---- its tools -------------------------------------------------------------------------------

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
  listing_id_ = send_request("tools/list", params);
  if (listing_id_ == 0)
    end_listing(fault{errc::overloaded, "server '" + server_ + "' does not read its requests"}.at(server_));
}

void client_protocol::give_up_listing(fault why) {
  if (listing())
    end_listing(std::move(why));
}

void client_protocol::end_listing(msg::outcome<msg::listed_tools> result) {
  listing_id_ = 0;
  if (result.ok())
    calls_.say_in_headers(tools_.release_headers());
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
              + (response.error ? told_error(*response.error, msg::limits::child_problem_bytes_max, callbacks_.masked)
                                : "no array \"tools\"")}
        .at(server_));
  if (in_batch_ && answer.text_bytes() > batch_list_bytes_max)
    return end_listing(
      fault{errc::server_start_failed, "server '" + server_ + "' lists its tools in a batch of more than "
                                         + std::to_string(batch_list_bytes_max >> 10)
                                         + " KiB, which is the limit; have it answer that request by itself"}
        .at(server_));
  take_tool_page(read_tool_page(server_, answer, said_headers()));
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
    callbacks_.logged("warning", callbacks_.masked ? callbacks_.masked(std::move(step.warning)) : step.warning);
  if (step.next)
    return request_tool_page(*step.next);
  end_listing(msg::listed_tools{tools_.release()});
}

std::string client_protocol::receive(const msg::document& message, int64_t during) {
  auto* batch = message.value().if_array(); // servers of revision 2025-03-26 may send them
  if (!batch)
    return receive_one(message, during);
  if (batch->size() > msg::limits::client_batch_max) { // answers may be lost with it: no call is left waiting
    auto problem = "sent a batch of " + std::to_string(batch->size()) + " messages; "
                   + std::to_string(msg::limits::client_batch_max) + " is the limit";
    fail_all(fault{errc::protocol_violation, "server '" + server_ + "' " + problem}.at(server_));
    return problem;
  }
  std::string problems;
  in_batch_ = true;
  for (auto& m : *batch)
    if (auto problem = receive_one(message.part(m), during); !problem.empty())
      problems += (problems.empty() ? "" : "; ") + problem;
  in_batch_ = false;
  return problems;
}

std::string client_protocol::receive_one(const msg::document& message, int64_t during) {
  auto view = classify(message.value());
  switch (view.what) {
    case message_view::kind::request: requests_.take(view, message, calls_.asked_in(during)); return {};
    case message_view::kind::notification: take_notification(view, during); return {};
    case message_view::kind::response: return take_response(view, message);
    case message_view::kind::invalid: break;
  }
  if (is_call(message.value())) {
    if (auto code = refusal_code(view, message.value()); code != 0)
      callbacks_.send(make_error(view.id, code, view.problem), 0, {});
  } else {
    fail_request(
      view.id.is_int64() ? view.id.get_int64() : 0,
      fault{errc::protocol_violation, "server '" + server_ + "' sent an invalid answer: " + view.problem}.at(server_));
  }
  return "sent an invalid message: " + view.problem;
}

/// False: it is no request of ours that is open.
bool client_protocol::fail_request(int64_t id, fault why) {
  if (id != 0 && id == opening_.open_discovery())
    return opened(opening_.take_unreadable()), true;
  if (id != 0 && (opening_.is_open(id) || id == listing_id_)) {
    opening_.give_up();
    end_listing(std::move(why));
    return true;
  }
  if (id != 0 && id == listen_id_)
    return end_listening(nullptr), true;
  return calls_.fail(id, std::move(why));
}

void client_protocol::take_notification(const message_view& notification, int64_t during) {
  if (notification.method == "notifications/tools/list_changed")
    return callbacks_.tools_changed();
  if (!notification.params)
    return;
  auto& params = *notification.params;
  if (notification.method == "notifications/cancelled")
    return requests_.cancelled(params);
  if (notification.method == "notifications/message") {
    auto* data = params.if_contains("data");
    auto level =
      masked_beginning(string_or(params, "level", "info"), msg::limits::child_quote_bytes_max, callbacks_.masked);
    callbacks_.logged(level,
                      data ? masked_json(*data, msg::limits::child_quote_bytes_max, callbacks_.masked) : std::string{});
    calls_.logged(params, during);
  } else if (notification.method == "notifications/elicitation/complete") {
    calls_.rounds().visited(string_or(params, "elicitationId"));
  } else if (notification.method == "notifications/progress") {
    calls_.progressed(params);
  }
}

std::string client_protocol::take_response(const message_view& response, const msg::document& message) {
  auto id = response.id.is_int64() ? response.id.get_int64() : 0;
  if (opening_.is_open(id))
    return opened(opening_.take(id, response, callbacks_.masked)), std::string{};
  if (id != 0 && id == listen_id_)
    return end_listening(response.error), std::string{};
  if (id != 0 && id == listing_id_)
    return take_tools(response, message), std::string{};
  if (calls_.take(id, response, message))
    return {};
  return "answered a request that is not open (id "
         + masked_json(response.id, msg::limits::child_quote_bytes_max, callbacks_.masked)
         + "): late, doubled or wrong";
}

bool client_protocol::fail_broken(std::string_view line, const std::string& problem) {
  return fail_request(
    salvaged_id(line),
    fault{errc::protocol_violation, "server '" + server_ + "' sent a broken message: " + problem}.at(server_));
}

void client_protocol::fail_all(const fault& why) {
  requests_.end();
  questions_.withdraw_all(); // first: who has asked for the calls hears of it
  calls_.fail_all(why);
  listen_id_ = 0;
  bool is_awaited = opening_.goes_on() || listing();
  opening_.give_up();
  if (is_awaited)
    end_listing(why);
}

} // namespace mcp
