#include "sampling/client_route.hpp"

#include "sampling/json_fields.hpp"
#include "sampling/provider.hpp"
#include "sampling/token_estimate.hpp"
#include "text/json_beginning.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace sampling {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// Of a client's message: more is no answer of a model, and is not walked through.
constexpr size_t answer_blocks_max = 10'000;
constexpr size_t model_name_bytes_max = 200;

std::string shown(const json::value& value) {
  return text::quoted(text::json_beginning(value, said_bytes_max), said_bytes_max);
}

json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::value content_of(const msg::chat_message& m) {
  if (m.uses.empty() && m.answers.empty())
    return text_block(m.text);
  json::array blocks;
  for (auto& a : m.answers)
    blocks.push_back(json::object{{"type", "tool_result"},
                                  {"toolUseId", a.id},
                                  {"content", json::array{json::value(text_block(a.text))}},
                                  {"isError", a.is_error}});
  if (!m.text.empty())
    blocks.push_back(text_block(m.text));
  for (auto& u : m.uses)
    blocks.push_back(json::object{{"type", "tool_use"}, {"id", u.id}, {"name", u.name}, {"input", u.input.value()}});
  return blocks;
}

json::array tools_of(const std::vector<msg::offered_tool>& tools) {
  json::array out;
  for (auto& t : tools)
    out.push_back(
      json::object{{"name", t.name}, {"description", t.description}, {"inputSchema", t.input_schema.value()}});
  return out;
}

msg::stop_reason reason_of(std::string_view name) {
  if (name == "endTurn" || name == "stopSequence" || name.empty())
    return msg::stop_reason::end;
  if (name == "maxTokens")
    return msg::stop_reason::max_tokens;
  return name == "toolUse" ? msg::stop_reason::tool_use : msg::stop_reason::other;
}

/// Empty: it was taken. Else what came instead, as a part of a sentence.
std::string take_text(const json::value& block, msg::model_answer& to) {
  auto* text = field(block, "text");
  if (!text || !text->is_string())
    return text ? "a text block whose 'text' is " + shown(*text) : "a text block without 'text'";
  if (text->get_string().size() > answer_bytes_max - to.text.size())
    return "more text than the limit of " + std::to_string(answer_bytes_max >> 20)
           + " MiB; ask for a shorter answer (maxTokens)";
  to.text.append(text->get_string());
  return {};
}

std::string take_use(const json::value& block, const msg::document& whole, msg::model_answer& to) {
  if (to.uses.size() >= answer_uses_max)
    return "more uses of tools than the limit of " + std::to_string(answer_uses_max);
  auto* input = field(block, "input");
  msg::tool_use use{std::string{text_field(block, "id")}, std::string{text_field(block, "name")}, {}, {}};
  if (use.id.empty() || use.name.empty())
    return "the use of a tool without its id or name";
  use.input = input && input->is_object() ? whole.part(*input) : msg::document{json::object{}};
  to.uses.push_back(std::move(use));
  return {};
}

std::string take_block(const json::value& block, const msg::document& whole, msg::model_answer& to) {
  auto kind = text_field(block, "type");
  if (kind == "text")
    return take_text(block, to);
  if (kind == "tool_use")
    return take_use(block, whole, to);
  if (kind == "image" || kind == "audio") // beside a text it is of no use to a program that asked for text
    return {};
  return "what is no message: " + shown(whole.value());
}

std::string take_content(const json::value& content, const msg::document& whole, msg::model_answer& to) {
  auto* blocks = content.if_array();
  if (!blocks)
    return take_block(content, whole, to);
  if (blocks->size() > answer_blocks_max)
    return "more blocks than the limit of " + std::to_string(answer_blocks_max);
  std::string wrong;
  for (size_t i = 0; i < blocks->size() && wrong.empty(); ++i)
    wrong = take_block((*blocks)[i], whole, to);
  return wrong;
}

bool has_text_block(const json::value& content) {
  auto is_text = [](const json::value& block) { return text_field(block, "type") == "text"; };
  auto* blocks = content.if_array();
  return blocks ? std::any_of(blocks->begin(), blocks->end(), is_text) : is_text(content);
}

/// Of an answer whose blocks are as they should be.
std::string missing_text(const json::value& content, const msg::model_answer& answer) {
  if (!answer.uses.empty() || has_text_block(content))
    return {};
  if (content.is_array() && content.get_array().empty())
    return "a message without content";
  return "an image or a sound, and no text";
}

} // namespace

msg::document client_question(const msg::model_request& request) {
  json::array messages;
  for (auto& m : request.messages)
    messages.push_back(json::object{{"role", to_string(m.role)}, {"content", content_of(m)}});
  json::object params{{"messages", std::move(messages)}, {"maxTokens", request.max_tokens}, {"includeContext", "none"}};
  if (!request.model.empty())
    params["modelPreferences"] = json::object{{"hints", json::array{json::object{{"name", request.model}}}}};
  if (!request.system.empty())
    params["systemPrompt"] = request.system;
  if (!request.tools.empty())
    params["tools"] = tools_of(request.tools);
  return msg::document{json::value(std::move(params))};
}

msg::outcome<msg::model_answer> client_answer(const msg::document& result) {
  auto& value = result.value();
  auto* content = field(value, "content");
  msg::model_answer out;
  out.usage.is_estimated = true;
  out.model = text_field(value, "model").substr(0, model_name_bytes_max);
  out.stop = reason_of(text_field(value, "stopReason"));
  auto wrong = content ? take_content(*content, result, out) : "what is no message: " + shown(value);
  bool is_read = wrong.empty();
  if (is_read)
    wrong = missing_text(*content, out);
  if (out.stop == msg::stop_reason::max_tokens)
    out.uses.clear(); // cut in the middle of the arguments, perhaps
  else if (!out.uses.empty())
    out.stop = msg::stop_reason::tool_use; // whatever the client calls it
  if (wrong.empty())
    return out;
  msg::outcome<msg::model_answer> failed{
    fault{errc::model_failed, "the client answered sampling/createMessage with " + wrong}};
  failed.value.model = std::move(out.model);
  failed.value.usage = {0, is_read ? 0 : estimated_tokens_of(result.text_bytes()), true}; // pictures are no text
  return failed;
}

fault client_refusal(fault said) {
  bool is_malformed = said.code == errc::protocol_violation;
  said.code = errc::model_failed;
  said.message = (is_malformed ? "the client's answer to sampling/createMessage is malformed: "
                               : "the client did not let its model answer: ")
                 + said.message;
  return said;
}

} // namespace sampling
