#include "sampling/client_route.hpp"

#include "messages/json_text.hpp"
#include "messages/utf8.hpp"
#include "sampling/json_fields.hpp"
#include "sampling/provider.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace sampling {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

json::value content_of(const msg::chat_message& m) {
  if (m.uses.empty() && m.answers.empty())
    return text_block(m.text);
  json::array blocks;
  for (auto& a : m.answers)
    blocks.push_back(
      json::object{{"type", "tool_result"}, {"toolUseId", a.id}, {"content", json::array{json::value(text_block(a.text))}}, {"isError", a.is_error}});
  if (!m.text.empty())
    blocks.push_back(text_block(m.text));
  for (auto& u : m.uses)
    blocks.push_back(json::object{{"type", "tool_use"}, {"id", u.id}, {"name", u.name}, {"input", u.input.value()}});
  return blocks;
}

json::array tools_of(const std::vector<msg::offered_tool>& tools) {
  json::array out;
  for (auto& t : tools)
    out.push_back(json::object{{"name", t.name}, {"description", t.description}, {"inputSchema", t.input_schema.value()}});
  return out;
}

msg::stop_reason reason_of(std::string_view name) {
  if (name == "endTurn" || name == "stopSequence" || name.empty())
    return msg::stop_reason::end;
  if (name == "maxTokens")
    return msg::stop_reason::max_tokens;
  return name == "toolUse" ? msg::stop_reason::tool_use : msg::stop_reason::other;
}

/// False: it makes no sense.
bool take_block(const json::value& block, const msg::document& whole, msg::model_answer& to) {
  auto kind = text_field(block, "type");
  if (kind == "text") {
    to.text += text_field(block, "text");
    return to.text.size() <= answer_bytes_max;
  }
  if (kind != "tool_use")
    return kind == "image" || kind == "audio"; // of no use to a program that asked for text
  auto* input = field(block, "input");
  msg::tool_use use{std::string{text_field(block, "id")}, std::string{text_field(block, "name")}, {}, {}};
  use.input = input && input->is_object() ? whole.part(*input) : msg::document{json::object{}};
  bool is_usable = !use.id.empty() && !use.name.empty() && to.uses.size() < answer_uses_max;
  to.uses.push_back(std::move(use));
  return is_usable;
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
  out.model = text_field(value, "model");
  out.stop = reason_of(text_field(value, "stopReason"));
  bool is_good = content != nullptr;
  if (is_good && content->is_array())
    for (auto& block : content->get_array())
      is_good = is_good && take_block(block, result, out);
  else if (is_good)
    is_good = take_block(*content, result, out);
  if (is_good)
    return out;
  return fault{errc::model_failed,
               "the client answered sampling/createMessage with what is no message: " + msg::quoted(result.text(), said_bytes_max)};
}

fault client_refusal(fault said) {
  said.message = "the client did not let its model answer: " + said.message;
  return said;
}

} // namespace sampling
