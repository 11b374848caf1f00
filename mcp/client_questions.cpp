#include "mcp/client_questions.hpp"

#include "mcp/fields.hpp"
#include "messages/invariant.hpp"

#include <utility>

namespace mcp {

namespace json = boost::json;

client_questions::client_questions(surroundings around, requests_in_flight& in_flight, replies& answers)
  : around_(std::move(around)),
    in_flight_(in_flight),
    replies_(answers),
    requests_(around_.send, [this] { return replies_.room(); }),
    parked_(around_.parked_wait) {}

uint64_t client_questions::ask(request_number during, std::string_view method, const msg::document& params,
                               answered done) {
  if (count() >= requests_to_client_max || params.text_bytes() > replies_.room())
    return 0;
  auto* request = in_flight_.find(during);
  if (request && has_handshake(request->from->spoken))
    return requests_.ask(method, params, request->path.stream, std::move(done));
  if (!around_.now || !around_.look_again || (request && !request->call.may_be_parked()))
    return 0;
  parked_requests::question asked{std::string{method}, params, std::move(done)};
  auto number = request ? parked_.ask(during, request->from, request->call.text(), std::move(asked))
                        : parked_.ask_more(during, std::move(asked));
  if (number == 0 || !request || parked_.is_returning(during))
    return number;
  if (!around_.park_soon) {
    park(during);
    return number;
  }
  if (to_park_.empty())
    around_.park_soon(asked_together);
  ++to_park_[during].asked;
  return number;
}

void client_questions::withdraw(uint64_t question, std::string_view reason) {
  parked_.withdraw(question);
  requests_.cancel(question, reason);
}

void client_questions::tell(request_number during, std::string_view method, const json::object& params) {
  auto* request = in_flight_.find(during);
  if (request && has_handshake(request->from->spoken))
    around_.send({make_notification(method, params), request->path.stream, outgoing::kind::notification});
}

/// Without a look at the room: each time the client has read what came before it.
void client_questions::park(request_number number) {
  auto request = in_flight_.take(number);
  msg::ensure(request.has_value(), "a call is parked by an answer to it");
  auto result = parked_.park(number, around_.now());
  complete(result, *request->from, around_.server_info());
  result["resultType"] = "input_required";
  auto state = std::string{string_or(result, "requestState")};
  replies_.park(request->path, make_response(request->id, msg::document{json::value(std::move(result))}),
                std::move(state));
  plan_look();
}

client_questions::returned client_questions::come_back(const incoming_request& request, const call_digest& call) {
  auto& params = *request.view.params;
  auto* responses = params.if_contains("inputResponses");
  auto now = around_.now ? around_.now() : parked_requests::time_point{}; // of who asks nothing: no state is good
  auto found = parked_.find(params.if_contains("requestState"), responses, call, now);
  if (!found.refused)
    found.refused = in_flight_.open(request.view, request.path, request.from, found.number).refused;
  if (found.refused) {
    replies_.refuse(request, found.refused);
    return {};
  }
  in_flight_.find(found.number)->call = call;
  parked_.come_back(found.number, request.from, request.message, responses ? &responses->get_object() : nullptr);
  if (auto answer = parked_.take_kept(found.number))
    return {found.number, std::move(answer)};
  if (parked_.has_questions(found.number))
    park(found.number);
  return {};
}

std::optional<request_in_flight> client_questions::take(request_number number) {
  auto request = in_flight_.take(number);
  if (request)
    parked_.end(number, "the call is over");
  return request;
}

void client_questions::park_asked() {
  for (auto& [number, call] : std::exchange(to_park_, {}))
    if (call.asks_on())
      to_park_[number] = {0, call.looks + 1};
    else if (in_flight_.find(number) && parked_.has_questions(number))
      park(number);
  if (!to_park_.empty())
    around_.park_soon(asked_after_another);
}

void client_questions::end_parked() {
  look_.reset();
  for (auto number : parked_.expired(around_.now())) {
    if (!parked_.has_kept(number))
      around_.cancelled(number);
    parked_.end(number, "the client has not come back with an answer within " + parked_.wait_text());
  }
  plan_look();
}

/// One at a time, however often a client goes and comes; another one if something is due earlier.
void client_questions::plan_look() {
  auto next = parked_.next_expiry();
  if (!next || (look_ && *look_ <= *next))
    return;
  look_ = next;
  around_.look_again(std::chrono::ceil<std::chrono::milliseconds>(*next - around_.now()));
}

} // namespace mcp
