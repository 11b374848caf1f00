// Questions whose model may want tools to be called: it is asked again with what came of them, a bounded number of times.
#include "actors/sampling_session.hpp"
#include "proxy/names.hpp"
#include "text/aliases.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <cctype>

namespace actors {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// What every provider takes.
constexpr size_t offered_name_max = 64;
constexpr size_t offered_tools_max = 128;
/// Of one result that goes back to the model.
constexpr size_t tool_text_bytes_max = 100'000;
/// Reading the lists of servers that have to be started for it.
constexpr std::chrono::seconds tools_timeout{90};
/// The run ends before; only so that the wait is finite.
constexpr std::chrono::milliseconds calls_timeout = msg::limits::run_timeout_max + std::chrono::seconds{10};

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

msg::document schema_of(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  auto* schema = definition ? definition->if_contains("inputSchema") : nullptr;
  return schema && schema->is_object() ? tool.definition.part(*schema) : msg::document{json::object{{"type", "object"}}};
}

std::string text_of(const msg::outcome<msg::document>& result) {
  if (!result.ok())
    return result.error.message;
  auto* text = result.value.value().if_string();
  return text::quoted(text ? std::string{*text} : result.value.text(), tool_text_bytes_max);
}

} // namespace

void sampling_session_state::offer_tools(uint64_t number, std::vector<std::string> patterns) {
  auto none = [this, number](fault why) {
    if (find(number))
      fail(number, std::move(why));
  };
  self_->request(options_.execution, tools_timeout, msg::tools_atom::value, std::move(patterns))
    .then(
      [this, number, none](msg::outcome<msg::tool_list>& tools) {
        auto q = find(number);
        if (!q || !tools.ok())
          return none(std::move(tools.error));
        if (tools.value.size() > offered_tools_max)
          return none({errc::limit_exceeded, "llm: " + std::to_string(tools.value.size()) + " tools are offered to the model; "
                                               + std::to_string(offered_tools_max) + " is the limit: name fewer"});
        for (auto& tool : tools.value) {
          auto name = offered_name(proxy::full_name(tool.server, tool.name), q->tools);
          q->tools.emplace(name, msg::tool_ref{"", tool.server, tool.name, msg::child_method::call_tool, run_.id});
          q->request.tools.push_back({name, tool.description, schema_of(tool)});
        }
        take_round(number);
      },
      [none](caf::error&) {
        none({errc::internal, "llm: the tools could not be found"});
      });
}

void sampling_session_state::call_tools(uint64_t number, msg::model_answer answer) {
  auto q = find(number);
  if (++q->steps >= options_.rules.tool_steps)
    return fail(number, {errc::limit_exceeded, "llm: the model still wants tools after " + std::to_string(q->steps)
                                                 + " questions, which is the limit (sampling.maxToolSteps)"});
  msg::chat_message wants, gets;
  wants.role = msg::chat_role::assistant;
  wants.text = std::move(answer.text);
  for (auto& use : answer.uses)
    gets.answers.push_back({use.id, use.name, {}, false});
  wants.uses = std::move(answer.uses);
  q->outstanding = wants.uses.size();
  q->request.messages.push_back(std::move(wants));
  q->request.messages.push_back(std::move(gets));
  auto& uses = q->request.messages[q->request.messages.size() - 2].uses;
  for (size_t place = 0; place < uses.size(); ++place) {
    auto tool = q->tools.find(uses[place].name);
    if (tool == q->tools.end()) {
      tool_answered(number, place, fault{errc::unknown_tool, "there is no tool '" + uses[place].name + "'"});
      continue;
    }
    self_->request(options_.execution, calls_timeout, msg::call_atom::value, tool->second, uses[place].input)
      .then([this, number, place](msg::outcome<msg::document>& result) { tool_answered(number, place, result); },
            [this, number, place](caf::error&) {
              tool_answered(number, place, fault{errc::internal, "the call was not answered"});
            });
  }
}

void sampling_session_state::tool_answered(uint64_t number, size_t place, const msg::outcome<msg::document>& result) {
  auto q = find(number);
  if (!q)
    return;
  auto& answer = q->request.messages.back().answers[place];
  answer.text = text_of(result);
  answer.is_error = !result.ok();
  if (--q->outstanding > 0)
    return;
  q->prompt_bytes = bytes_of(q->request);
  filter_prompt(number, [this, number] { take_round(number); });
}

} // namespace actors
