// OpenAI's chat completions, and the same as Grok, Perplexity and compatible servers speak it.
#include "sampling/json_fields.hpp"
#include "sampling/wire.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace json = boost::json;

namespace openai {

namespace {

// ---- questions -----------------------------------------------------------------------------

json::array tool_calls_of(const std::vector<msg::tool_use>& uses) {
  json::array out;
  for (auto& u : uses)
    out.push_back(json::object{
      {"id", u.id}, {"type", "function"}, {"function", json::object{{"name", u.name}, {"arguments", u.input.text()}}}});
  return out;
}

void add_message(json::array& to, const msg::chat_message& message) {
  for (auto& a : message.answers) // a message for each; the format has no mark for errors
    to.push_back(
      json::object{{"role", "tool"}, {"tool_call_id", a.id}, {"content", a.is_error ? "Error: " + a.text : a.text}});
  if (message.text.empty() && message.uses.empty() && !message.answers.empty())
    return;
  json::object out{{"role", msg::to_string(message.role)}};
  out["content"] = message.text.empty() && !message.uses.empty() ? json::value(nullptr) : json::value(message.text);
  if (!message.uses.empty())
    out["tool_calls"] = tool_calls_of(message.uses);
  to.push_back(std::move(out));
}

/// Perplexity refuses two messages in a row of one role.
bool joins(const request_parts& parts, const json::array& messages, const msg::chat_message& next) {
  return parts.who == provider::perplexity && !messages.empty()
         && text_field(messages.back(), "role") == msg::to_string(next.role) && next.uses.empty()
         && next.answers.empty() && !text_field(messages.back(), "content").empty();
}

json::array messages_of(const request_parts& parts) {
  json::array out;
  if (!parts.request.system.empty())
    out.push_back(json::object{{"role", "system"}, {"content", parts.request.system}});
  for (auto& m : parts.request.messages) {
    if (joins(parts, out, m))
      out.back().get_object()["content"] = std::string{text_field(out.back(), "content")} + "\n\n" + m.text;
    else
      add_message(out, m);
  }
  return out;
}

json::array tools_of(const std::vector<msg::offered_tool>& tools) {
  json::array out;
  for (auto& t : tools)
    out.push_back(json::object{
      {"type", "function"},
      {"function", json::object{{"name", t.name}, {"description", t.description}, {"parameters", schema_of(t)}}}});
  return out;
}

std::string body_of(const request_parts& parts) {
  auto& request = parts.request;
  json::object body{{"model", request.model}, {"messages", messages_of(parts)}};
  // OpenAI's reasoning models refuse the old name, and all of its models know the new one; servers of others know the
  // old one.
  body[parts.who == provider::openai ? "max_completion_tokens" : "max_tokens"] = request.max_tokens;
  if (request.stream) {
    body["stream"] = true;
    if (parts.who != provider::perplexity) // which reports the usage unasked
      body["stream_options"] = json::object{{"include_usage", true}};
  }
  if (!request.tools.empty())
    body["tools"] = tools_of(request.tools);
  return text::to_text(body);
}

provider_http_request question(const request_parts& parts) {
  provider_http_request q;
  q.url = parts.base_url;
  if (parts.who != provider::perplexity && !has_path(parts.base_url))
    q.url += "/v1";
  q.url += "/chat/completions";
  q.headers = common_headers(parts.request);
  if (!parts.key.empty())
    q.headers.emplace_back("authorization", "Bearer " + std::string{parts.key});
  q.body = body_of(parts);
  return q;
}

// ---- answers -------------------------------------------------------------------------------

msg::stop_reason reason_of(std::string_view text) {
  if (text == "stop" || text == "eos")
    return msg::stop_reason::end;
  if (text == "length")
    return msg::stop_reason::max_tokens;
  if (text == "tool_calls" || text == "function_call")
    return msg::stop_reason::tool_use;
  return text == "content_filter" ? msg::stop_reason::refused : msg::stop_reason::other;
}

/// Grok counts thinking in the total only.
void take_usage(const json::value& in, answer_builder& to) {
  auto* usage = field(in, "usage");
  auto output = usage ? count_field(*usage, "completion_tokens") : std::nullopt;
  auto input = usage ? count_field(*usage, "prompt_tokens") : std::nullopt;
  if (!input || !output)
    return;
  auto total = count_field(*usage, "total_tokens").value_or(0);
  to.set_input_tokens(*input);
  to.set_output_tokens(total > *input ? std::max(*output, total - *input) : *output);
}

enum class message_kind : uint8_t { whole, piece };

/// A refusal is the text, too.
void take_refusal(const json::value& in, answer_builder& to) {
  if (auto refusal = text_field(in, "refusal"); !refusal.empty()) {
    to.add_text(refusal);
    to.set_stop(msg::stop_reason::refused);
  }
}

/// A text, or its parts: Mistral's reasoning models put what they think beside it, which is no part of the answer.
void take_content(const json::value& content, answer_builder& to) {
  if (auto* text = content.if_string())
    return to.add_text(*text);
  if (!content.is_array())
    return to.set_malformed();
  for (auto& part : content.get_array()) {
    auto* text = field(part, "text");
    if (text_field(part, "type") == "text" && text && text->is_string())
      to.add_text(text->get_string());
    else if (!part.is_object() || text_field(part, "type") == "text")
      return to.set_malformed();
    else
      take_refusal(part, to);
  }
}

/// `message` of a whole answer, or `delta`.
void take_message(const json::value& message, message_kind kind, answer_builder& to) {
  if (auto* content = field(message, "content"))
    take_content(*content, to);
  take_refusal(message, to);
  auto* calls = field(message, "tool_calls");
  if (!calls)
    return;
  if (!calls->is_array())
    return to.set_malformed();
  int64_t position = 0;
  for (auto& call : calls->get_array()) {
    auto* function = field(call, "function");
    int64_t index = count_field(call, "index").value_or(static_cast<uint32_t>(position));
    ++position;
    if (!call.is_object() || (!function && kind == message_kind::whole))
      return to.set_malformed();
    if (!function)
      continue;
    to.open_use(index, text_field(call, "id"), text_field(*function, "name"));
    if (auto* arguments = object_field(*function, "arguments")) // as some servers have it
      to.add_arguments(index, text::to_text(*arguments));
    else
      to.add_arguments(index, text_field(*function, "arguments"));
  }
}

void take_choice(const json::value& body, message_kind kind, answer_builder& to) {
  auto& choices = array_field(body, "choices");
  if (choices.empty()) // a chunk with nothing but the usage
    return;
  if (auto* message = field(choices[0], kind == message_kind::whole ? "message" : "delta"))
    take_message(*message, kind, to);
  if (auto reason = text_field(choices[0], "finish_reason"); !reason.empty())
    to.set_stop(reason_of(reason));
}

bool take_whole(const json::value& body, answer_builder& to) {
  auto& choices = array_field(body, "choices");
  if (choices.empty() || !object_field(choices[0], "message"))
    return false;
  take_choice(body, message_kind::whole, to);
  to.set_model(text_field(body, "model"));
  take_usage(body, to);
  return true;
}

void take_event(const json::value& event, answer_builder& to) {
  take_choice(event, message_kind::piece, to);
  to.set_model(text_field(event, "model"));
  take_usage(event, to);
}

} // namespace

} // namespace openai

const wire_format openai_format{openai::question, openai::take_whole, openai::take_event};

} // namespace sampling
