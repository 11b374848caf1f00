#include "faults/model_answers.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace faults {

namespace json = boost::json;

namespace {

/// An answer of no model costs nothing; 1, as some readers take 0 for unknown.
constexpr int told_tokens = 1;
constexpr std::string_view refusal_text = "I can't help with that request.";

/// The same answer in the words of a provider.
struct said_answer {
  std::string_view text;
  bool is_refusal = false;
};

std::string anthropic_answer(std::string_view model, const said_answer& said) {
  return json::serialize(json::object{{"id", "msg_fault"},
                                      {"type", "message"},
                                      {"role", "assistant"},
                                      {"model", model},
                                      {"content", json::array{json::object{{"type", "text"}, {"text", said.text}}}},
                                      {"stop_reason", said.is_refusal ? "refusal" : "end_turn"},
                                      {"usage", {{"input_tokens", told_tokens}, {"output_tokens", told_tokens}}}});
}

std::string gemini_answer(std::string_view model, const said_answer& said) {
  json::object content{{"role", "model"}, {"parts", json::array{json::object{{"text", said.text}}}}};
  json::object candidate{{"content", std::move(content)}, {"finishReason", said.is_refusal ? "SAFETY" : "STOP"}};
  return json::serialize(
    json::object{{"candidates", json::array{std::move(candidate)}},
                 {"modelVersion", model},
                 {"usageMetadata", {{"promptTokenCount", told_tokens}, {"candidatesTokenCount", told_tokens}}}});
}

std::string openai_answer(std::string_view model, const said_answer& said) {
  json::object message{{"role", "assistant"}, {"content", nullptr}};
  message[said.is_refusal ? "refusal" : "content"] = said.text;
  json::object choice{{"index", 0}, {"message", std::move(message)}, {"finish_reason", "stop"}};
  return json::serialize(json::object{{"id", "chatcmpl-fault"},
                                      {"object", "chat.completion"},
                                      {"model", model},
                                      {"choices", json::array{std::move(choice)}},
                                      {"usage", {{"prompt_tokens", told_tokens}, {"completion_tokens", told_tokens}}}});
}

std::string answer_of(std::string_view provider, std::string_view model, const said_answer& said) {
  return provider == "anthropic" ? anthropic_answer(model, said)
         : provider == "gemini"  ? gemini_answer(model, said)
                                 : openai_answer(model, said);
}

} // namespace

std::string model_answer(std::string_view provider, std::string_view model, std::string_view text) {
  return answer_of(provider, model, {text, false});
}

std::string model_refusal(std::string_view provider, std::string_view model) {
  return answer_of(provider, model, {refusal_text, true});
}

std::string model_error(std::string_view type, std::string_view message) {
  return json::serialize(json::object{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}});
}

} // namespace faults
