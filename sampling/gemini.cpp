// Google's Gemini API, v1beta: generateContent and streamGenerateContent.
#include "sampling/json_fields.hpp"
#include "sampling/wire.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace json = boost::json;

namespace gemini {

namespace {

// ---- questions -----------------------------------------------------------------------------

/// The name goes into the path, as one part of it: what could end it, or begin something else, is escaped.
std::string path_of(std::string_view model) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "models/";
  for (std::string_view collection : {"models/", "tunedModels/"})
    if (model.starts_with(collection)) {
      out = collection;
      model.remove_prefix(collection.size());
      break;
    }
  for (char c : model) {
    bool plain =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (plain)
      out += c;
    else
      out.append({'%', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]});
  }
  return out;
}

json::object call_part(const msg::tool_use& use) {
  json::object call{{"name", use.name}, {"args", use.input.value()}};
  if (!use.id.starts_with(made_id_prefix))
    call["id"] = use.id;
  json::object part{{"functionCall", std::move(call)}};
  if (auto signature = text_field(use.extra.value(), "thoughtSignature"); !signature.empty())
    part["thoughtSignature"] = signature;
  return part;
}

/// Errors and results are told apart by the key.
json::object response_part(const msg::tool_answer& answer) {
  json::object response{{"name", answer.name},
                        {"response", json::object{{answer.is_error ? "error" : "output", answer.text}}}};
  if (!answer.id.starts_with(made_id_prefix))
    response["id"] = answer.id;
  return {{"functionResponse", std::move(response)}};
}

json::object content_of(const msg::chat_message& message) {
  json::array parts;
  for (auto& a : message.answers)
    parts.push_back(response_part(a));
  if (!message.text.empty() || (message.answers.empty() && message.uses.empty()))
    parts.push_back(json::object{{"text", message.text}});
  for (auto& u : message.uses)
    parts.push_back(call_part(u));
  return {{"role", message.role == msg::chat_role::assistant ? "model" : "user"}, {"parts", std::move(parts)}};
}

/// `parametersJsonSchema` takes JSON Schema as MCP servers have it; `parameters` only the words of OpenAPI 3.0.
json::array tools_of(const std::vector<msg::offered_tool>& tools) {
  json::array declared;
  for (auto& t : tools)
    declared.push_back(
      json::object{{"name", t.name}, {"description", t.description}, {"parametersJsonSchema", schema_of(t)}});
  return {json::object{{"functionDeclarations", std::move(declared)}}};
}

std::string body_of(const msg::model_request& request) {
  json::array contents;
  for (auto& m : request.messages)
    contents.push_back(content_of(m));
  json::object body{{"contents", std::move(contents)},
                    {"generationConfig", json::object{{"maxOutputTokens", request.max_tokens}}}};
  if (!request.system.empty())
    body["systemInstruction"] = json::object{{"parts", json::array{json::object{{"text", request.system}}}}};
  if (!request.tools.empty())
    body["tools"] = tools_of(request.tools);
  return text::to_text(body);
}

provider_http_request question(const request_parts& parts) {
  provider_http_request q;
  q.url = std::string{parts.base_url} + (has_path(parts.base_url) ? "/" : "/v1beta/") + path_of(parts.request.model)
          + (parts.request.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
  q.headers = common_headers(parts.request);
  if (!parts.key.empty())
    q.headers.emplace_back("x-goog-api-key", parts.key);
  q.body = body_of(parts.request);
  return q;
}

// ---- answers -------------------------------------------------------------------------------

msg::stop_reason reason_of(std::string_view text) {
  constexpr std::string_view refusals[] = {"SAFETY", "RECITATION", "BLOCKLIST",   "PROHIBITED_CONTENT",
                                           "SPII",   "LANGUAGE",   "IMAGE_SAFETY"};
  if (text == "STOP")
    return msg::stop_reason::end;
  if (text == "MAX_TOKENS")
    return msg::stop_reason::max_tokens;
  bool refused = std::find(std::begin(refusals), std::end(refusals), text) != std::end(refusals);
  return refused ? msg::stop_reason::refused : msg::stop_reason::other;
}

void take_usage(const json::value& body, answer_builder& to) {
  auto* usage = field(body, "usageMetadata");
  auto input = usage ? count_field(*usage, "promptTokenCount") : std::nullopt;
  if (!input)
    return;
  to.set_input_tokens(*input);
  auto answered = count_field(*usage, "candidatesTokenCount").value_or(0); // missing if there are none
  to.set_output_tokens(sum(answered, count_field(*usage, "thoughtsTokenCount").value_or(0)));
}

void take_part(const json::value& part, answer_builder& to) {
  if (!part.is_object())
    return to.set_malformed();
  auto* thought = field(part, "thought");
  if (thought && thought->is_bool() && thought->get_bool())
    return;
  if (field(part, "text"))
    to.add_text(text_field(part, "text"));
  auto* call = field(part, "functionCall");
  if (!call)
    return;
  auto* args = field(*call, "args");
  auto signature = text_field(part, "thoughtSignature");
  msg::document extra;
  if (!signature.empty())
    extra = msg::document{json::object{{"thoughtSignature", signature}}};
  to.add_use(text_field(*call, "id"), text_field(*call, "name"),
             msg::document{args ? *args : json::value(json::object{})}, std::move(extra));
}

/// A whole answer and an event of a stream are the same. A prompt that Google's filter stops has no candidate.
bool take_whole(const json::value& body, answer_builder& to) {
  auto& candidates = array_field(body, "candidates");
  auto* feedback = field(body, "promptFeedback");
  bool blocked = feedback && !text_field(*feedback, "blockReason").empty();
  if (!candidates.empty()) {
    if (auto* content = field(candidates[0], "content"))
      for (auto& part : array_field(*content, "parts"))
        take_part(part, to);
    if (auto reason = text_field(candidates[0], "finishReason"); !reason.empty())
      to.set_stop(reason_of(reason));
  } else if (blocked) {
    to.set_stop(msg::stop_reason::refused);
  }
  to.set_model(text_field(body, "modelVersion"));
  take_usage(body, to);
  return blocked || (!candidates.empty() && candidates[0].is_object());
}

void take_event(const json::value& event, answer_builder& to) { take_whole(event, to); }

} // namespace

} // namespace gemini

const wire_format gemini_format{gemini::question, gemini::take_whole, gemini::take_event};

} // namespace sampling
