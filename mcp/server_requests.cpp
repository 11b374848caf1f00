#include "mcp/server_requests.hpp"

#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::question_kind;

void server_requests::take(const message_view& request, const msg::document& message,
                           const std::optional<asked_call>& in) {
  if (request.method == "ping")
    return send_(make_response(request.id, msg::document{json::object{}}));
  auto kind = server_questions::kind_of(request.method, request.params);
  if (!kind)
    return send_(make_error(request.id, rpc_error::method_not_found,
                            "Method not found: " + text::quoted(request.method, msg::limits::child_quote_bytes_max)));
  if (open_.contains(text::to_text(request.id)))
    return send_(make_error(request.id, rpc_error::invalid_request, "Invalid Request: that id is in use"));
  if (!in)
    return respond(request.id, *kind, {},
                   fault{errc::not_allowed,
                         "nobody can be asked: that belongs to no call that is open, or it can not be "
                         "told to which"});
  ask(*kind, request, message, *in);
}

/// What is asked is copied: a part of a message counts as much as all of it. One that is too much is refused uncopied.
void server_requests::ask(question_kind kind, const message_view& request, const msg::document& message,
                          const asked_call& in) {
  msg::server_question what;
  what.call = in.key;
  what.is_sure = in.is_sure;
  what.kind = kind;
  what.params = message.text_bytes() > msg::question_bytes_max
                  ? message
                  : msg::document{json::value(request.params ? *request.params : json::object{})};
  auto id = request.id;
  auto name = text::to_text(id);
  open_.emplace(name, 0);
  auto answered = [this, id, name, kind, params = what.params](const server_questions::answer& said) {
    open_.erase(name);
    respond(id, kind, params, said);
  };
  auto number = questions_.ask(std::move(what), std::move(answered));
  if (auto open = open_.find(name); open != open_.end())
    open->second = number;
}

void server_requests::respond(const json::value& id, question_kind kind, const msg::document& params,
                              const server_questions::answer& said) {
  if (said.ok())
    return send_(make_response(id, completed(kind, params, said.value)));
  if (auto instead = answer_without(kind, said.error))
    return send_(make_response(id, msg::document{json::value(std::move(*instead))}));
  bool can_nobody = said.error.code == errc::not_allowed; // as if we did not know what is asked
  send_(make_error(id, can_nobody ? rpc_error::method_not_found : rpc_error::not_wanted, said.error.message));
}

void server_requests::cancelled(const json::object& params) {
  auto* id = params.if_contains("requestId");
  auto asked = id ? open_.extract(text::to_text(*id)) : decltype(open_)::node_type{};
  if (asked)
    questions_.withdraw(asked.mapped());
}

} // namespace mcp
