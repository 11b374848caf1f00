// What comes from the server, on its way to the client.
#include "mcp/fields.hpp"
#include "mcp/relay/relay.hpp"
#include "mcp/told_error.hpp"
#include "mcp/value_size.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <string>
#include <utility>

namespace mcp::relay {

namespace json = boost::json;

namespace {

/// Of the message of an error that is too large to be told whole.
constexpr size_t large_error_bytes_max = 2'000;

std::string beginning_of_response(const json::value& id) { return R"({"jsonrpc":"2.0","id":)" + text::to_text(id); }

msg::spliced_text error_response(const json::value& id, const json::value& error) {
  return msg::spliced_text{beginning_of_response(id) + R"(,"error":)" + text::to_text(error) + "}"};
}

/// An error is masked and told anew. Of a large one there are its code and the beginning of its message.
json::value copied(const json::value& error) {
  if (!is_longer_than(copied_bytes_max, error))
    return error;
  auto message = text::excerpt(string_in(error.if_object(), "message"), large_error_bytes_max);
  return json::object{{"code", error_code(&error)},
                      {"message", std::move(message) + " (this error has more than "
                                    + std::to_string(copied_bytes_max >> 10) + " KiB: the rest is left out)"}};
}

} // namespace

json::value relay::server_info() const {
  auto* said = server_.hello().value().if_object();
  auto* info = said ? said->if_contains("serverInfo") : nullptr;
  return info ? *info : json::value{};
}

std::string relay::text_of(const msg::fault& why) const {
  auto name = "server '" + server_name_ + "'";
  return why.message.starts_with(name) ? why.message : name + " " + why.message;
}

// ---- answers ---------------------------------------------------------------------------------

void relay::answered(request_number number, const message_view& response, const msg::document& message) {
  auto found = relayed_.find(number);
  if (found == relayed_.end()) { // its client has an answer already
    std::erase_if(numbers_, [number](auto& each) { return each.second == number; });
    return;
  }
  auto& what = found->second;
  numbers_.erase(std::exchange(what.at_server, 0));
  if (error_code(response.error) == rpc_error::header_mismatch && what.method == "tools/call"
      && !std::exchange(what.is_repeated, true)) { // its list of tools is another one by now
    mirrored_.forget();
    return send(number);
  }
  if (response.error) {
    auto error = copied(*response.error);
    return ask_for_visits(number, error) ? void() : answer_error(number, error);
  }
  auto* result = response.result->if_object();
  bool is_asked = result && has_handshake(what.from->spoken) && input_round::is_one(server_.spoken(), *result);
  if (!is_asked)
    return answer_result(number, message, *response.result);
  inputs_.begin(number, what.rounds, *result);
}

void relay::answer_result(request_number number, const msg::document& message, const json::value& result) {
  auto& what = relayed_.at(number);
  answer_terms terms{what.method, server_.spoken(), what.from->spoken, server_info()};
  auto* request = open_.find(number);
  if (!request) { // parked, and its client is away
    auto text = result_to_client({}, message, result, terms, {}).text();
    auto kept = msg::document::parse(text, msg::spelling::kept);
    relayed_.erase(number);
    questions_.keep(number, {std::move(kept.value), {}, {}});
    return;
  }
  if (auto problem = out_.problem_of_size(message, request->path); !problem.empty())
    return refuse(number, {rpc_error::internal_error, problem, {}});
  if (auto* page = what.method == "tools/list" ? result.if_object() : nullptr)
    mirrored_.take_page(*page, terms.replaced);
  auto head = beginning_of_response(request->id) + R"(,"result":)";
  finish(number, result_to_client(std::move(head), message, result, terms, "}"));
}

void relay::answer_error(request_number number, const json::value& error) {
  auto& what = relayed_.at(number);
  answer_terms terms{what.method, server_.spoken(), what.from->spoken};
  auto view = classify(what.message.value());
  if (what.method == "resources/read")
    terms.uri = string_in(view.params, "uri");
  auto told = error_to_client(error, terms);
  mask_texts(told, [this](std::string text) { return server_.masked(std::move(text)); });
  auto* request = open_.find(number);
  if (!request) {
    auto* fields = told.if_object();
    auto* data = fields ? fields->if_contains("data") : nullptr;
    std::string message{string_in(fields, "message")};
    relayed_.erase(number);
    questions_.keep(
      number, {{}, {}, {static_cast<int32_t>(error_code(&told)), std::move(message), data ? *data : json::value{}}});
    return;
  }
  finish(number, error_response(request->id, told), status_of(error_code(&told), request->from->spoken));
}

bool relay::ask_for_visits(request_number number, const json::value& error) {
  auto& what = relayed_.at(number);
  bool can_be = !server_.is_modern() && !has_handshake(what.from->spoken) && what.visits.is_null()
                && error_code(&error) == rpc_error::visit_wanted
                && can_be_asked(what.from->abilities, msg::question_kind::url);
  auto visits = can_be ? input_round::of_visits(error) : std::nullopt;
  if (!visits)
    return false;
  what.visits = error;
  inputs_.begin_visits(number, what.rounds, std::move(*visits));
  return true;
}

void relay::refuse(request_number number, const rpc_refusal& why) {
  auto* request = open_.find(number);
  if (!request) {
    relayed_.erase(number);
    questions_.keep(number, {{}, {}, why});
    return;
  }
  finish(number, make_error(request->id, why.code, why.message, why.data), status_of(why.code, request->from->spoken));
}

void relay::finish(request_number number, msg::spliced_text text, uint16_t status) {
  is_finishing_ = true; // what was taken to be asked in the middle of it may belong to another one
  auto request = questions_.take(number);
  is_finishing_ = false;
  relayed_.erase(number);
  if (request)
    out_.answer(request->path, std::move(text), status);
}

/// The server, which has been told so, works on it until it answers: to nobody.
void relay::client_lacks(request_number number, const json::object& wanted) {
  if (!relayed_.contains(number))
    return;
  refuse(number, {rpc_error::missing_capability, "the server asks for what the client has not declared in this request",
                  json::object{{"requiredCapabilities", wanted}}});
}

void relay::subscription_ended(request_number number, const msg::document& response) {
  auto* request = open_.find(number);
  if (!request)
    return;
  auto view = classify(response.value());
  auto* result = view.result ? view.result->if_object() : nullptr;
  if (!result) {
    auto told = view.error ? copied(*view.error) : json::value(json::object{});
    mask_texts(told, [this](std::string text) { return server_.masked(std::move(text)); });
    return finish(number, error_response(request->id, told), status_of(error_code(&told), request->from->spoken));
  }
  auto* said = object_in(result, "_meta");
  member_changes changes;
  auto meta = said && !is_longer_than(copied_bytes_max, result->at("_meta")) ? *said : json::object{};
  meta[meta_key::subscription] = request->id;
  changes.set["_meta"] = std::move(meta);
  finish(number, with_changes(beginning_of_response(request->id) + R"(,"result":)", response, *result,
                              std::move(changes), "}"));
}

// ---- which request it is about ---------------------------------------------------------------

/// Which request a message of the server belongs to; 0: to none, or it can not be told to which.
request_number relay::in_the_middle_of(server_request during) const {
  if (during != 0)
    return number_of(during);
  bool is_unsure = clients_ == clientele::several && (has_left_some_ || numbers_.size() > 1);
  if (numbers_.empty() || is_unsure)
    return 0;
  return numbers_.rbegin()->second; // who has one stream for all does not say: it is the last, most of the time
}

request_number relay::number_of(server_request at_server) const {
  auto found = numbers_.find(at_server);
  return found == numbers_.end() ? 0 : found->second;
}

std::string_view relay::log_level_of(request_number number) const {
  auto found = relayed_.find(number);
  return found == relayed_.end() ? std::string_view{} : level_of_request(classify(found->second.message.value()));
}

} // namespace mcp::relay
