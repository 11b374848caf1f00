// Anthropic's Messages API, version 2023-06-01.
#include "sampling/json_fields.hpp"
#include "sampling/wire.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace json = boost::json;

namespace anthropic {

namespace {

constexpr const char* api_version = "2023-06-01";

// ---- questions -----------------------------------------------------------------------------

/// The API refuses blocks without text.
void add_text_block(json::array& to, const std::string& text) {
  if (!text.empty())
    to.push_back(json::object{{"type", "text"}, {"text", text}});
}

json::object message_of(const msg::chat_message& message) {
  json::array content;
  for (auto& a : message.answers) // results come before anything else
    content.push_back(
      json::object{{"type", "tool_result"}, {"tool_use_id", a.id}, {"content", a.text}, {"is_error", a.is_error}});
  add_text_block(content, message.text);
  for (auto& u : message.uses)
    content.push_back(json::object{{"type", "tool_use"}, {"id", u.id}, {"name", u.name}, {"input", u.input.value()}});
  return {{"role", msg::to_string(message.role)}, {"content", std::move(content)}};
}

std::string body_of(const msg::model_request& request) {
  json::array messages;
  for (auto& m : request.messages)
    messages.push_back(message_of(m));
  json::object body{{"model", request.model}, {"max_tokens", request.max_tokens}, {"messages", std::move(messages)}};
  if (!request.system.empty())
    body["system"] = request.system;
  if (request.stream)
    body["stream"] = true;
  if (!request.tools.empty()) {
    json::array tools;
    for (auto& t : request.tools)
      tools.push_back(json::object{{"name", t.name}, {"description", t.description}, {"input_schema", schema_of(t)}});
    body["tools"] = std::move(tools);
  }
  return text::to_text(body);
}

provider_http_request question(const request_parts& parts) {
  provider_http_request q;
  q.url = std::string{parts.base_url} + (parts.base_url.ends_with("/v1") ? "/messages" : "/v1/messages");
  q.headers = common_headers(parts.request);
  q.headers.emplace_back("anthropic-version", api_version);
  if (!parts.key.empty())
    q.headers.emplace_back("x-api-key", parts.key);
  q.body = body_of(parts.request);
  return q;
}

// ---- answers -------------------------------------------------------------------------------

msg::stop_reason reason_of(std::string_view text) {
  if (text == "end_turn" || text == "stop_sequence")
    return msg::stop_reason::end;
  if (text == "max_tokens" || text == "model_context_window_exceeded")
    return msg::stop_reason::max_tokens;
  if (text == "tool_use")
    return msg::stop_reason::tool_use;
  return text == "refusal" ? msg::stop_reason::refused : msg::stop_reason::other;
}

/// `input_tokens` has only those that neither came from nor went into the cache.
void take_usage(const json::value& in, answer_builder& to) {
  auto* usage = field(in, "usage");
  if (!usage)
    return;
  if (auto input = count_field(*usage, "input_tokens")) {
    auto written = count_field(*usage, "cache_creation_input_tokens").value_or(0);
    auto cached = count_field(*usage, "cache_read_input_tokens").value_or(0);
    to.set_input_tokens(sum(*input, sum(written, cached)));
  }
  if (auto output = count_field(*usage, "output_tokens"))
    to.set_output_tokens(*output);
}

void take_stop(const json::value& in, answer_builder& to) {
  if (auto reason = text_field(in, "stop_reason"); !reason.empty())
    to.set_stop(reason_of(reason));
}

bool take_whole(const json::value& body, answer_builder& to) {
  auto* content = field(body, "content");
  if (!content || !content->is_array())
    return false;
  for (auto& block : content->get_array()) {
    if (!block.is_object())
      to.set_malformed();
    auto type = text_field(block, "type");
    if (type == "text") {
      to.add_text(text_field(block, "text"));
    } else if (type == "tool_use") {
      auto* input = field(block, "input");
      to.add_use(text_field(block, "id"), text_field(block, "name"),
                 msg::document{input ? *input : json::value(json::object{})}, {});
    }
  }
  to.set_model(text_field(body, "model"));
  take_usage(body, to);
  take_stop(body, to);
  return true;
}

void take_block_start(int64_t index, const json::value& block, answer_builder& to) {
  auto type = text_field(block, "type");
  if (type == "text")
    to.add_text(text_field(block, "text"));
  else if (type == "tool_use")
    to.open_use(index, text_field(block, "id"), text_field(block, "name"));
}

void take_delta(int64_t index, const json::value& delta, answer_builder& to) {
  auto type = text_field(delta, "type");
  if (type == "text_delta")
    to.add_text(text_field(delta, "text"));
  else if (type == "input_json_delta")
    to.add_arguments(index, text_field(delta, "partial_json"));
}

void take_event(const json::value& event, answer_builder& to) {
  auto type = text_field(event, "type");
  int64_t index = count_field(event, "index").value_or(0);
  if (type == "message_start") {
    if (auto* message = field(event, "message")) {
      to.set_model(text_field(*message, "model"));
      take_usage(*message, to);
    }
  } else if (type == "content_block_start") {
    if (auto* block = field(event, "content_block"))
      take_block_start(index, *block, to);
  } else if (type == "content_block_delta") {
    if (auto* delta = field(event, "delta"))
      take_delta(index, *delta, to);
  } else if (type == "message_delta") {
    take_usage(event, to); // counts from the beginning
    if (auto* delta = field(event, "delta"))
      take_stop(*delta, to);
  } else if (type == "message_stop") {
    to.set_stop(msg::stop_reason::end);
    to.close();
  }
}

} // namespace

} // namespace anthropic

const wire_format anthropic_format{anthropic::question, anthropic::take_whole, anthropic::take_event};

} // namespace sampling
