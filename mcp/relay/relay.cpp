#include "mcp/relay/relay.hpp"

#include "mcp/fields.hpp"
#include "messages/limits.hpp"
#include "text/digest.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <utility>
#include <vector>

namespace mcp::relay {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::fault;

namespace {

constexpr size_t shown_value_bytes_max = 80;
/// Parameters that belong to one sending of a request, and not to what it asks.
bool is_of_hop(std::string_view name) { return name == "_meta" || name == "inputResponses" || name == "requestState"; }

/// What a request that goes on has to have in common with the one that was parked.
call_digest digest_of(const msg::document& message) {
  return call_digest{[message] {
    auto request = classify(message.value());
    text::digest out;
    out.add(request.method);
    if (request.params)
      for (auto& [name, value] : *request.params)
        if (!is_of_hop(name))
          out.add(std::string_view{name}).add(text::to_text(value));
    return out.hex();
  }};
}

/// A client that comes back: whoever was asked has a state.
bool is_return(const message_view& request, const requester& from) {
  return request.params && !has_handshake(from.spoken) && request.params->contains("requestState");
}

rpc_refusal unknown_method(std::string_view method) {
  return {rpc_error::method_not_found, "Method not found: " + text::quoted(method, shown_value_bytes_max), {}};
}

rpc_refusal too_many_resources() {
  return {rpc_error::invalid_params,
          "Invalid params: a client may subscribe to " + std::to_string(subscribed_resources_max)
            + " resources, whose URIs have at most " + std::to_string(subscribed_uri_bytes_max >> 10) + " KiB each and "
            + std::to_string(subscribed_bytes_max >> 10) + " KiB together; unsubscribe from others first",
          {}};
}

rpc_refusal invalid_params(const std::string& what) {
  return {rpc_error::invalid_params, "Invalid params: " + what, {}};
}

} // namespace

relay::relay(std::string server, clientele clients, relay_callbacks callbacks)
  : server_name_(std::move(server)),
    clients_(clients),
    callbacks_(std::move(callbacks)),
    out_(callbacks_.send, callbacks_.room, callbacks_.is_read),
    open_(nullptr),
    questions_({callbacks_.send, [this](request_number number) { given_up(number); }, callbacks_.now,
                [this](std::chrono::milliseconds later) { callbacks_.set_timer(timer::parked, later); },
                [this] {
                  auto info = server_info();
                  return info.is_object() ? info.get_object() : json::object{};
                },
                [this](std::chrono::microseconds later) { callbacks_.set_timer(timer::parking, later); },
                callbacks_.parked_wait},
               open_, out_),
    messages_({[this](const incoming_request& request) { take_request(request); },
               [this](const message_view& view, const msg::document& message) { take_notification(view, message); },
               [this](request_number number, const request_in_flight&) { given_up(number); }},
              open_, out_, questions_),
    server_(server_name_, {[this](const fault& why) { server_opened(why); },
                           [this](const message_view& view, const msg::document& message, server_request during) {
                             asks_.take(view, message, in_the_middle_of(during), messages_.client() != nullptr);
                           },
                           [this](const message_view& view, const msg::document& message, server_request during) {
                             if (view.method == "notifications/elicitation/complete")
                               inputs_.visited(string_in(view.params, "elicitationId"));
                             words_.take(view, message, during);
                           }}),
    asks_({server_, open_, questions_,
           [this] { return is_finishing_ && clients_ == clientele::one ? in_the_middle_of(0) : 0; },
           [this](request_number number, const json::object& wanted) { client_lacks(number, wanted); }}),
    changes_({server_, open_, out_,
              [this](request_number number, const msg::document& response) { subscription_ended(number, response); },
              [this](std::chrono::milliseconds later) { callbacks_.set_timer(timer::listening, later); }}),
    mirrored_(server_, callbacks_.said_headers != nullptr ? header_readers::server_and_us : header_readers::server),
    words_({server_, asks_, changes_, open_, out_, [this](server_request during) { return in_the_middle_of(during); },
            [this](server_request at_server) { return number_of(at_server); },
            [this](request_number number) { return log_level_of(number); },
            [this] { return messages_.client() != nullptr; }}),
    inputs_(server_name_, {questions_,
                           [this](request_number number, uint32_t rounds, const json::object& more) {
                             auto found = relayed_.find(number);
                             if (found == relayed_.end())
                               return;
                             found->second.rounds = rounds;
                             found->second.more = more;
                             send(number);
                           },
                           [this](request_number number, const std::string& why) {
                             auto found = relayed_.find(number);
                             if (found == relayed_.end() || found->second.visits.is_null())
                               return refuse(number, {rpc_error::internal_error, why, {}});
                             auto error = std::move(found->second.visits);
                             answer_error(number, error);
                           },
                           [this](std::chrono::milliseconds later) { callbacks_.set_timer(timer::rounds, later); },
                           [this](request_number number) {
                             auto found = relayed_.find(number);
                             return found == relayed_.end() || has_handshake(found->second.from->spoken);
                           }}) {}

// ---- from the client -------------------------------------------------------------------------

void relay::take_request(const incoming_request& request) {
  auto method = request.view.method;
  if (has_envelope(request.view))
    return take_enveloped(request);
  if (method == "initialize")
    return begin_handshake(request);
  if (method == "ping")
    return out_.answer(request.path, make_response(request.view.id, msg::document{json::object{}}));
  if (messages_.client())
    return pass(request);
  out_.refuse(
    request, method == "server/discover"
               ? unknown_method(method)
               : rpc_refusal{rpc_error::invalid_request,
                             "Invalid Request: " + text::quoted(method, shown_value_bytes_max) + " before 'initialize'",
                             {}});
}

void relay::take_enveloped(const incoming_request& request) {
  auto envelope = read_envelope(request.view);
  if (request.path.in)
    envelope.refused = {rpc_error::invalid_request, "Invalid Request: revision 2026-07-28 has no batches", {}};
  else if (!envelope.refused && is_gone_method(request.view.method))
    envelope.refused = unknown_method(request.view.method);
  auto* params = request.view.params;
  if (!envelope.refused && request.view.method == "subscriptions/listen" && !object_in(params, "notifications"))
    envelope.refused = invalid_params("'notifications' must be an object");
  if (envelope.refused)
    return out_.refuse(request, envelope.refused);
  if (!server_.is_connected() && !messages_.client())
    client_ = clients_ == clientele::one ? introduced_by_envelope(request.view) : anybody();
  pass({request.message, request.view, request.path, std::make_shared<const requester>(std::move(envelope.from))});
}

void relay::begin_handshake(const incoming_request& request) {
  auto* params = request.view.params;
  auto* wanted = params ? params->if_contains("protocolVersion") : nullptr;
  if (!wanted || !wanted->is_string())
    return out_.refuse(request, invalid_params("'protocolVersion' must be a string"));
  client_ = introduced(*params);
  requester from;
  from.spoken = negotiate(client_.version);
  from.name = client_name_of(params->if_contains("clientInfo"));
  from.abilities = read_abilities(params->if_contains("capabilities"));
  auto shared = std::make_shared<const requester>(std::move(from));
  messages_.shaken_hands(shared); // what it sends before the answer is carried out after it
  pass({request.message, request.view, request.path, std::move(shared)});
}

void relay::take_notification(const message_view& notification, const msg::document& message) {
  auto method = notification.method;
  if (!server_.serves() || server_.is_modern() || !messages_.client())
    return; // that era has none
  if (method == "notifications/initialized")
    return end_handshake();
  auto head = R"({"jsonrpc":"2.0","method":)" + text::to_text(json::value(method));
  if (!notification.params)
    return server_.tell(msg::spliced_text{head + "}"});
  auto& params = message.value().get_object().at("params");
  server_.tell({head + R"(,"params":)", message.part(params), "}"});
}

void relay::pass(const incoming_request& request) {
  if (is_return(request.view, *request.from) && was_legacy_)
    return come_back(request);
  size_t held = request.message.held_bytes();
  for (auto& [n, what] : relayed_)
    held += what.message.held_bytes();
  if (held > held_bytes_max && !relayed_.empty())
    return out_.refuse(request, {rpc_error::internal_error,
                                 "Overloaded: the requests that are not answered have " + std::to_string(held >> 20)
                                   + " MiB in memory, which is more than the limit; ask again when some are answered",
                                 {}});
  auto number = messages_.open(request);
  if (number == 0)
    return;
  relayed_.emplace(number, relayed_request{request.message, std::string{request.view.method}, request.from});
  if (server_.serves())
    carry_out(number);
  else
    want_server(has_handshake(request.from->spoken) ? opening::initialize : opening::discover);
}

void relay::come_back(const incoming_request& request) {
  auto [number, answer] = questions_.come_back(request, digest_of(request.message));
  if (number == 0 || !answer)
    return;
  if (answer->refused)
    return refuse(number, answer->refused);
  finish(number, make_response(request.view.id, answer->result));
}

void relay::given_up(request_number number) {
  if (changes_.unsubscribe(number))
    return;
  auto gone = relayed_.extract(number);
  inputs_.drop(number);
  if (!gone || gone.mapped().at_server == 0)
    return;
  numbers_.erase(gone.mapped().at_server);
  leave(gone.mapped().at_server, "the client has given it up");
}

/// It may ask in the middle of it all the same, and most do not say in the middle of what.
void relay::leave(server_request at_server, std::string_view reason) {
  if (server_.give_up(at_server, reason) || clients_ == clientele::one || server_.is_modern())
    return;
  has_left_some_ = true;
  if (callbacks_.retire)
    callbacks_.retire();
}

// ---- when the server serves ------------------------------------------------------------------

void relay::carry_out(request_number number) {
  auto& what = relayed_.at(number);
  what.is_waiting = false;
  if (!server_.is_modern() && is_return(classify(what.message.value()), *what.from)) // of no call of this connection
    return refuse(number, invalid_params("'requestState' is none of a call that waits here; call anew without it"));
  if (!carry_out_here(number, what))
    send(number);
}

/// False: it goes to the server.
bool relay::carry_out_here(request_number number, const relayed_request& what) {
  bool is_modern = !has_handshake(what.from->spoken);
  auto& method = what.method;
  if (!is_modern && method == "initialize")
    return answer_handshake(number, what), true;
  if (is_modern && method == "server/discover")
    return answer_discovery(number), true;
  if (is_modern && method == "subscriptions/listen") {
    auto message = what.message;
    relayed_.erase(number);
    return changes_.subscribe(number, message), true;
  }
  bool is_setting =
    method == "resources/subscribe" || method == "resources/unsubscribe" || method == "logging/setLevel";
  if (is_modern || !server_.is_modern() || !is_setting)
    return false;
  return take_setting(number, what), true;
}

/// Of a client with a handshake, for a server that is told so with each request.
void relay::take_setting(request_number number, const relayed_request& what) {
  auto view = classify(what.message.value());
  bool is_level = what.method == "logging/setLevel";
  auto text = string_in(view.params, is_level ? "level" : "uri");
  if (is_level ? !is_level_name(text) : text.empty())
    return refuse(number, invalid_params(is_level ? "'level' must be one of debug, info, notice, warning, error, "
                                                    "critical, alert and emergency"
                                                  : "'uri' must be a string"));
  if (is_level)
    levels_.want(text);
  else if (what.method == "resources/unsubscribe")
    changes_.unwatch(std::string{text});
  else if (!changes_.watch(std::string{text}))
    return refuse(number, too_many_resources());
  finish(number, make_response(view.id, msg::document{json::object{}}));
}

void relay::send(request_number number) {
  end_handshake(); // some clients forget it, and some are early
  if (waits_for_server(number))
    return;
  if (auto wrong = problem_of_headers(number))
    return refuse(number, wrong);
  auto& what = relayed_.at(number);
  auto view = classify(what.message.value());
  bool is_modern = !has_handshake(what.from->spoken);
  request_terms terms{what.from->spoken, server_.spoken(), is_modern ? nullptr : &client_, levels_.of_client(),
                      what.more};
  bool may_be_parked = is_modern && !server_.is_modern() && what.from->abilities != msg::client_abilities{};
  if (auto* request = open_.find(number); request && may_be_parked)
    request->call = digest_of(what.message);
  auto make = [&](server_request n) {
    auto request = request_to_server(n, what.message, view, terms);
    request.labels.parameters = mirrored_.headers_for(view);
    return request;
  };
  what.at_server = server_.ask(make, [this, number](const message_view& response, const msg::document& message) {
    answered(number, response, message);
  });
  if (what.at_server != 0)
    numbers_.emplace(what.at_server, number);
  else
    refuse(number,
           {rpc_error::internal_error,
            "Overloaded: server '" + server_name_ + "' does not read its requests; try again later, or restart it",
            {}});
}

bool relay::waits_for_server(request_number number) {
  auto& what = relayed_.at(number);
  auto then = [this, number] {
    if (relayed_.contains(number) && server_.serves())
      send(number);
  };
  if (what.method == "tools/call" && mirrored_.are_unknown())
    return mirrored_.find_out(std::move(then)), true;
  if (has_handshake(what.from->spoken) || server_.is_modern())
    return false;
  auto level = level_of_request(classify(what.message.value()));
  return levels_.is_more(level) && ask_for_log(level, std::move(then));
}

/// What a client says in headers has to be what it says in the message, since 2026-07-28.
rpc_refusal relay::problem_of_headers(request_number number) const {
  auto& what = relayed_.at(number);
  auto* request = open_.find(number);
  auto* said = request && callbacks_.said_headers && !has_handshake(what.from->spoken)
                 ? callbacks_.said_headers(request->path.stream)
                 : nullptr;
  auto problem = said ? mirrored_.problem_of(classify(what.message.value()), *said) : std::string{};
  return problem.empty() ? rpc_refusal{} : rpc_refusal{rpc_error::header_mismatch, "Header mismatch: " + problem, {}};
}

bool relay::ask_for_log(std::string_view level, std::function<void()> then) {
  auto* capabilities = server_.capabilities();
  if (!capabilities || !capabilities->contains("logging"))
    return false;
  json::object params{{"level", level}};
  auto make = [&](server_request n) {
    return make_own_request(server_.spoken(), static_cast<int64_t>(n), "logging/setLevel", params);
  };
  return server_.ask(make, [then = std::move(then)](const message_view&, const msg::document&) { then(); }) != 0;
}

void relay::end_subscriptions() {
  for (auto number : changes_.subscriptions())
    if (auto* request = open_.find(number)) {
      auto result = change_routes::last_result(request->id, server_info());
      finish(number, make_response(request->id, result));
    }
}

void relay::expired(timer which) {
  switch (which) {
    case timer::parked: return questions_.end_parked();
    case timer::parking: return questions_.park_asked();
    case timer::rounds: return inputs_.go_on(callbacks_.now());
    case timer::discovery: return server_.stop_waiting_for_discovery();
    case timer::handshake:
      return server_.give_up_handshake("did not answer within "
                                       + std::to_string(limits::child_handshake_timeout.count() / 1'000) + " s");
    case timer::listening: return changes_.listen_again();
  }
}

} // namespace mcp::relay
