#include "mcp/relay/input_asks.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace mcp::relay {

namespace json = boost::json;

namespace {

/// `input_round` has read them before.
std::string_view method_of(msg::question_kind kind) {
  switch (kind) {
    case msg::question_kind::sampling: return "sampling/createMessage";
    case msg::question_kind::roots: return "roots/list";
    default: return "elicitation/create";
  }
}

/// In revisions with a handshake each address that is opened has a name, and in others none has.
msg::document params_for_client(const msg::server_question& asked, bool has_names) {
  auto* said = asked.params.value().if_object();
  if (asked.kind != msg::question_kind::url || said->contains("elicitationId") == has_names)
    return asked.params;
  auto params = *said;
  if (has_names)
    params["elicitationId"] = std::to_string(asked.call.run) + "-" + std::to_string(asked.number);
  else
    params.erase("elicitationId");
  return msg::document{json::value(std::move(params))};
}

} // namespace

input_asks::input_asks(const std::string& server, parts with)
  : with_(std::move(with)),
    asked_(server, {[this](const msg::server_question& asked) { ask(asked); },
                    [this](msg::call_key, uint64_t number) { withdraw(number); }}),
    rounds_(server, asked_,
            {[this](const input_rounds::waiting_call& call, const json::object& more) {
               with_.again(call.call.key.run, call.rounds, more);
             },
             [this](msg::call_key key, const msg::fault& why) { with_.failed(key.run, why.message); },
             [this](std::chrono::milliseconds later) { with_.pause(later); }}) {}

void input_asks::begin(request_number number, uint32_t rounds, const json::object& result) {
  msg::tool_call call;
  call.key = {number, 0};
  rounds_.begin({std::move(call), rounds}, result);
}

void input_asks::begin_visits(request_number number, uint32_t rounds, input_round visits) {
  msg::tool_call call;
  call.key = {number, 0};
  rounds_.begin_visits({std::move(call), rounds}, std::move(visits), {});
}

std::vector<request_number> input_asks::drop_all() {
  std::vector<request_number> out;
  for (auto& key : rounds_.drop_all())
    out.push_back(key.run);
  return out;
}

void input_asks::ask(const msg::server_question& asked) {
  auto n = asked.number;
  auto done = [this, n](msg::outcome<msg::document> said) {
    at_client_.erase(n);
    asked_.answered(n, std::move(said));
  };
  auto params = params_for_client(asked, with_.is_of_handshake(asked.call.run));
  auto number = with_.questions.ask(asked.call.run, method_of(asked.kind), params, done);
  if (number == 0)
    return asked_.answered(n, msg::fault{msg::errc::overloaded, "the client has too much to read or to answer"});
  at_client_[n] = number;
}

void input_asks::withdraw(uint64_t number) {
  if (auto found = at_client_.extract(number))
    with_.questions.withdraw(found.mapped(), "the server does not wait for it any more");
}

} // namespace mcp::relay
