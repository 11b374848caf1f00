#include "actors/sampling/tool_steps.hpp"

#include "proxy/names.hpp"
#include "text/json_beginning.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace sampling {

namespace json = boost::json;
using msg::errc;

namespace {

/// What every provider takes.
constexpr size_t offered_name_max = 64;
constexpr size_t tool_name_bytes_max = 100; ///< in an error

/// Letters, digits, `_` and `-`; unique by a number at the end.
std::string offered_name(const std::string& full, const std::map<std::string, msg::tool_ref>& taken) {
  std::string base = full.substr(0, offered_name_max);
  std::replace_if(
    base.begin(), base.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '-'; }, '_');
  auto name = base;
  for (int i = 2; taken.contains(name); ++i) {
    auto suffix = "_" + std::to_string(i);
    name = base.substr(0, offered_name_max - suffix.size()) + suffix;
  }
  return name;
}

msg::document input_schema_of(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  auto* schema = definition ? definition->if_contains("inputSchema") : nullptr;
  return schema && schema->is_object() ? tool.definition.part(*schema)
                                       : msg::document{json::object{{"type", "object"}}};
}

std::string text_for_model(const msg::outcome<msg::document>& result) {
  if (!result.ok())
    return result.error.message;
  auto* text = result.value.value().if_string();
  return text ? text::quoted(*text, tool_text_bytes_max) : text::quoted_json(result.value.value(), tool_text_bytes_max);
}

} // namespace

msg::fault tool_steps::offer(const msg::tool_list& tools, uint64_t run, msg::model_request& request) {
  if (tools.size() > offered_tools_max)
    return {errc::limit_exceeded, "llm: " + std::to_string(tools.size()) + " tools are offered to the model; "
                                    + std::to_string(offered_tools_max) + " is the limit: name fewer"};
  for (auto& tool : tools) {
    auto name = offered_name(proxy::full_name(tool.server, tool.name), offered_);
    offered_.emplace(name, msg::tool_ref{"", tool.server, tool.name, msg::child_method::call_tool, run});
    request.tools.push_back({name, tool.description, input_schema_of(tool)});
  }
  return {};
}

bool tool_steps::are_wanted(const msg::model_answer& answer) const {
  return answer.stop == msg::stop_reason::tool_use && !answer.uses.empty() && !offered_.empty();
}

msg::fault tool_steps::check(const msg::model_answer& answer) const {
  if (!offered_.empty() || answer.uses.empty() || !answer.text.empty())
    return {};
  return {errc::model_failed, "the model has answered with no text: it wants the tool '"
                                + text::quoted(answer.uses.front().name, tool_name_bytes_max)
                                + "' to be called, and was offered none"};
}

msg::fault tool_steps::begin(msg::model_answer answer, uint32_t steps_max, msg::model_request& request) {
  if (++steps_ >= steps_max)
    return {errc::limit_exceeded, "llm: the model still wants tools after " + std::to_string(steps_)
                                    + " questions, which is the limit (sampling.maxToolSteps)"};
  msg::chat_message wants, gets;
  wants.role = msg::chat_role::assistant;
  wants.text = std::move(answer.text);
  for (auto& use : answer.uses)
    gets.answers.push_back({use.id, use.name, {}, false});
  wants.uses = std::move(answer.uses);
  outstanding_ = wants.uses.size();
  request.messages.push_back(std::move(wants));
  request.messages.push_back(std::move(gets));
  return {};
}

const msg::tool_ref* tool_steps::find(const std::string& name) const {
  auto found = offered_.find(name);
  return found == offered_.end() ? nullptr : &found->second;
}

bool tool_steps::answered(size_t place, const msg::outcome<msg::document>& result, msg::model_request& request) {
  auto& answer = request.messages.back().answers[place];
  answer.text = text_for_model(result);
  answer.is_error = !result.ok();
  return --outstanding_ == 0;
}

} // namespace sampling
