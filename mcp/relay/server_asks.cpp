#include "mcp/relay/server_asks.hpp"

#include "mcp/fields.hpp"
#include "mcp/server_questions.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace mcp::relay {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_method_bytes_max = 80;

/// A question in more memory is not copied where everybody waits for it: some 10 ms.
constexpr size_t copied_question_bytes_max = size_t{32} << 20;

/// That revision has them no more: tokens of the server's connection.
bool has_earlier_members(const message_view& request) {
  return request.params && (request.params->contains("elicitationId") || request.params->contains("_meta"));
}

/// What a client of 2026-07-28 is asked.
msg::document params_for_later_client(const message_view& request, const msg::document& message) {
  if (!request.params)
    return {};
  if (!has_earlier_members(request))
    return message.part(*message.value().get_object().if_contains("params"));
  auto params = *request.params;
  params.erase("elicitationId");
  params.erase("_meta");
  return msg::document{json::value(std::move(params))};
}

json::value error_of(const fault& why) {
  return json::object{{"code", why.code == errc::model_failed ? rpc_error::not_wanted : rpc_error::internal_error},
                      {"message", why.message}};
}

msg::spliced_text response_of(const json::value& id, const msg::outcome<msg::document>& said) {
  if (said.ok())
    return make_response(id, said.value);
  json::object response{{"jsonrpc", "2.0"}, {"id", id}, {"error", error_of(said.error)}};
  return msg::spliced_text{text::to_text(response)};
}

} // namespace

void server_asks::refuse(const json::value& id, int32_t code, const std::string& why) {
  with_.server.tell(make_error(id, code, why));
}

bool server_asks::is_new(const message_view& request) {
  if (open_.contains(text::to_text(request.id)))
    refuse(request.id, rpc_error::invalid_request, "Invalid Request: that id is in use");
  else if (open_.size() >= server_asks_max)
    refuse(request.id, rpc_error::internal_error,
           "Overloaded: " + std::to_string(open_.size()) + " requests wait for the client, which is the limit");
  else
    return true;
  return false;
}

void server_asks::take(const message_view& request, const msg::document& message, request_number in, bool has_client) {
  if (request.method == "ping")
    return with_.server.tell(make_response(request.id, msg::document{json::object{}}));
  if (!is_new(request))
    return;
  auto* of = with_.open.find(in);
  if (of && !has_handshake(of->from->spoken))
    return ask(request, message, in);
  if (has_client)
    return relay(request, message, of ? of->path.stream : stream_number{0});
  refuse(request.id, rpc_error::method_not_found,
         "Method not found: nobody can be asked: that belongs to no request that is open, or it can not be told to "
         "which");
}

/// As it is, and so is the answer.
void server_asks::relay(const message_view& request, const msg::document& message, stream_number stream) {
  auto id = request.id;
  auto name = text::to_text(id);
  open_.emplace(name, 0);
  auto done = [this, id, name](const message_view* response, const msg::document& said, const std::string& problem) {
    open_.erase(name);
    if (!response)
      return refuse(id, rpc_error::internal_error, "the client did not answer: " + problem);
    auto head = R"({"jsonrpc":"2.0","id":)" + text::to_text(id);
    with_.server.tell(response->error ? msg::spliced_text{head + R"(,"error":)", said.part(*response->error), "}"}
                                      : msg::spliced_text{head + R"(,"result":)", said.part(*response->result), "}"});
  };
  auto* params = message.value().get_object().if_contains("params");
  auto number = with_.questions.requests().relay(request.method, params ? message.part(*params) : msg::document{},
                                                 stream, std::move(done));
  if (number != 0) {
    open_[name] = number;
    return;
  }
  open_.erase(name);
  refuse(id, rpc_error::internal_error, "Overloaded: the client has too much to read or to answer");
}

/// By `input_required`, which is another answer to the request.
void server_asks::ask(const message_view& request, const msg::document& message, request_number in) {
  auto kind = server_questions::kind_of(request.method, request.params);
  if (!kind)
    return refuse(request.id, rpc_error::method_not_found,
                  "Method not found: " + text::quoted(request.method, shown_method_bytes_max));
  if (has_earlier_members(request) && message.held_bytes() > copied_question_bytes_max)
    return refuse(request.id, rpc_error::invalid_params,
                  "Invalid params: this question takes more than " + std::to_string(copied_question_bytes_max >> 20)
                    + " MiB of memory; ask it in fewer or larger values");
  auto& from = *with_.open.find(in)->from;
  if (!can_be_asked(from.abilities, *kind)) {
    auto instead = answer_without(*kind, fault{errc::not_allowed, {}});
    if (instead)
      return with_.server.tell(make_response(request.id, msg::document{json::value(std::move(*instead))}));
    refuse(request.id, rpc_error::method_not_found, "the client has no model that can be asked");
    return with_.lacks(in, json::object{{"sampling", json::object{}}});
  }
  auto id = request.id;
  auto name = text::to_text(id);
  open_.emplace(name, 0);
  auto done = [this, id, name, in, message](const msg::outcome<msg::document>& said) {
    open_.erase(name);
    if (!moves_on(message, in, said))
      with_.server.tell(response_of(id, said));
  };
  auto number = with_.questions.ask(in, request.method, params_for_later_client(request, message), std::move(done));
  if (auto open = open_.find(name); open != open_.end())
    open->second = number;
  if (number != 0)
    return;
  open_.erase(name);
  refuse(id, rpc_error::internal_error, "Overloaded: too much is asked, or too many requests wait for their clients");
}

/// A request has ended that the question was only taken to belong to: then it belongs to another one. False: it has an
/// answer, or there is no other.
bool server_asks::moves_on(const msg::document& message, request_number in, const msg::outcome<msg::document>& said) {
  auto other = said.error.code == errc::cancelled ? with_.likely() : 0;
  auto* of = other == in ? nullptr : with_.open.find(other);
  if (!of || has_handshake(of->from->spoken))
    return false;
  ask(classify(message.value()), message, other);
  return true;
}

bool server_asks::cancelled(const message_view& notification) {
  auto* id = notification.params ? notification.params->if_contains("requestId") : nullptr;
  auto found = id ? open_.extract(text::to_text(*id)) : decltype(open_)::node_type{};
  if (found)
    with_.questions.withdraw(found.mapped(), string_or(*notification.params, "reason", "the server has cancelled it"));
  return !found.empty();
}

void server_asks::end() {
  for (auto& [id, number] : std::exchange(open_, {}))
    with_.questions.withdraw(number, "the server is gone");
}

} // namespace mcp::relay
