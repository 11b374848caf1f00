#include "mcp/input_round.hpp"

#include "mcp/fields.hpp"
#include "mcp/server_questions.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

fault wrong(const std::string& what) {
  return {errc::protocol_violation, "asks for what can not be answered: " + what};
}

std::optional<input_question> question_of(std::string_view key, const json::value& request) {
  auto* fields = request.if_object();
  if (!fields)
    return std::nullopt;
  auto* params = fields->if_contains("params");
  if (params && !params->is_object())
    return std::nullopt;
  auto kind = server_questions::kind_of(string_or(*fields, "method"), params ? &params->get_object() : nullptr);
  if (!kind)
    return std::nullopt;
  // A copy: a part of a message counts as much as all of it.
  return input_question{std::string{key}, *kind, msg::document{params ? *params : json::value(json::object{})}};
}

} // namespace

bool input_round::is_one(revision spoken, const json::object& result) {
  return !has_handshake(spoken) && string_or(result, "resultType") == "input_required";
}

msg::outcome<input_round> input_round::read(const json::object& result) {
  static const json::object nothing;
  input_round out;
  auto* asked = result.if_contains("inputRequests");
  auto* state = result.if_contains("requestState");
  if (asked && !asked->is_object())
    return wrong("'inputRequests' is no object");
  auto& all = asked ? asked->get_object() : nothing;
  if (state && (!state->is_string() || state->get_string().size() > request_state_bytes_max))
    return wrong("'requestState' is no text of at most " + std::to_string(request_state_bytes_max >> 10) + " KiB");
  if (state)
    out.state_ = std::string{state->get_string()};
  if (all.empty() && !state)
    return wrong("it has neither 'inputRequests' nor 'requestState'");
  if (all.size() > inputs_max)
    return wrong("more than " + std::to_string(inputs_max) + " things at once");
  for (auto& [key, request] : all) {
    auto question = question_of(key, request);
    if (!question)
      return wrong("inputRequests['" + text::quoted(key, msg::limits::child_quote_bytes_max)
                   + "'] is none of elicitation/create, sampling/createMessage and roots/list");
    out.questions_.push_back(std::move(*question));
  }
  return out;
}

std::optional<input_round> input_round::of_visits(const json::value& error) {
  auto* data = object_in(error.if_object(), "data");
  auto* named = data ? data->if_contains("elicitations") : nullptr;
  auto* all = named ? named->if_array() : nullptr;
  if (!all || all->empty() || all->size() > inputs_max)
    return std::nullopt;
  input_round out;
  out.is_of_visits_ = true;
  for (auto& each : *all) {
    auto* fields = each.if_object();
    auto url = fields ? string_or(*fields, "url") : std::string_view{};
    bool is_address = url.starts_with("https://") || url.starts_with("http://");
    bool is_usable = is_address && string_or(*fields, "mode", "url") == "url" && !string_or(*fields, "message").empty();
    if (!is_usable)
      return std::nullopt;
    auto params = *fields;
    params["mode"] = "url"; // it can be nothing else
    out.questions_.push_back(
      {std::to_string(out.questions_.size()), msg::question_kind::url, msg::document{json::value(std::move(params))}});
  }
  return out;
}

json::object input_round::parameters() const {
  json::object out;
  if (!questions_.empty() && !is_of_visits_)
    out["inputResponses"] = responses_;
  if (state_)
    out["requestState"] = *state_;
  return out;
}

} // namespace mcp
