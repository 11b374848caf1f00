#include "actors/run/consent_wording.hpp"

#include "config/named_secrets.hpp"
#include "content_filter/filter.hpp"
#include "proxy/names.hpp"
#include "text/json_beginning.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <numeric>

namespace actors::run {

namespace json = boost::json;

namespace {

constexpr std::string_view hidden_value = "***";
/// What is shorter would be taken out of the midst of words.
constexpr size_t hidden_bytes_min = 4;
constexpr size_t shown_name_of_tool_bytes_max = 200;
constexpr size_t shown_patterns_max = 20;
/// Of arguments, looked at for secrets: what is shown is cut afterwards, so that no half of one is left.
constexpr size_t masked_bytes_max = 8u << 10;
/// Of all names in one line of the record.
constexpr size_t recorded_names_bytes_max = 500;

void replace_all(std::string& in, std::string_view what, std::string_view by) {
  for (auto at = what.empty() ? in.npos : in.find(what); at != in.npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

std::string without_secrets(const std::string& text) {
  content_filter::content_policy secrets_only;
  for (auto personal : {content_filter::content_class::email, content_filter::content_class::ssn,
                        content_filter::content_class::card, content_filter::content_class::phone})
    secrets_only.set(personal, content_filter::content_action::allow);
  auto out = content_filter::filter_content(text, secrets_only).text;
  auto named = config::named_secrets(out);
  std::sort(named.begin(), named.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  for (auto& secret : named)
    if (secret.size() >= hidden_bytes_min)
      replace_all(out, secret, hidden_value);
  return out;
}

std::string shown_name_of(const msg::consent& tool) {
  auto name = text::printable(text::quoted(proxy::full_name(tool.server, tool.tool), shown_name_of_tool_bytes_max));
  auto server = text::printable(text::quoted(tool.server, shown_name_of_tool_bytes_max));
  return name + " (server '" + server + "')";
}

std::string times(uint32_t count) { return count == 1 ? "" : " x " + std::to_string(count); }

std::string names_for_record(const std::vector<asked_calls>& calls) {
  std::string names;
  for (auto& c : calls)
    names += (names.empty() ? "" : ", ") + proxy::full_name(c.to.server, c.to.tool) + times(c.count);
  return text::quoted(names, recorded_names_bytes_max);
}

/// Whether the person agrees is all that is asked: a form without fields.
msg::server_question question(std::string message, const std::vector<asked_calls>& calls) {
  msg::server_question q;
  q.is_sure = false; // it is of no call of a server
  q.asker = msg::question_asker::policy;
  if (calls.size() == 1 && calls.front().count == 1) {
    q.server = calls.front().to.server;
    q.tool = calls.front().to.tool;
  } else {
    q.tool = names_for_record(calls);
  }
  json::object schema{{"type", "object"}, {"properties", json::object{}}};
  q.params = msg::document{json::object{{"message", std::move(message)}, {"requestedSchema", std::move(schema)}}};
  return q;
}

std::string lines_of(const asked_calls& calls) {
  auto out = "\n" + shown_name_of(calls.to) + times(calls.count);
  if (calls.agreed_before > 0)
    out += ", beyond the " + std::to_string(calls.agreed_before) + " that you have agreed to in this run";
  for (auto& arguments : calls.arguments)
    out += "\nwith " + arguments;
  if (calls.count > calls.arguments.size() && !calls.arguments.empty())
    out += "\nand " + std::to_string(calls.count - calls.arguments.size()) + " more calls of it, with other arguments";
  return out;
}

constexpr std::string_view what_no_means = "\nIf you decline, none of it is called in this run.";

} // namespace

std::string short_arguments(const msg::document& arguments) {
  auto all = text::json_beginning(arguments.value(), masked_bytes_max);
  bool is_cut = all.size() + 8 >= masked_bytes_max;
  auto shown = text::printable(without_secrets(all));
  if (is_cut && shown.size() <= 2 * shown_arguments_bytes_max) // all but a secret, the last of which may be cut
    return "arguments that are too long to be shown";
  return text::excerpt(shown, shown_arguments_bytes_max);
}

msg::server_question question_of_calls(const std::vector<asked_calls>& calls) {
  auto count =
    std::accumulate(calls.begin(), calls.end(), uint32_t{0}, [](auto sum, auto& c) { return sum + c.count; });
  std::string message = count == 1
                          ? "A program wants to make a call that needs your approval:"
                          : "A program wants to make " + std::to_string(count) + " calls that need your approval:";
  for (auto& c : calls)
    message += lines_of(c);
  return question(std::move(message.append(what_no_means)), calls);
}

msg::server_question question_of_announced(const std::vector<asked_calls>& calls) {
  std::string message = "A program announces calls that need your approval, with arguments that are not known yet:";
  for (auto& c : calls)
    message += lines_of(c);
  message += "\nYou are asked again for what goes beyond these numbers.";
  return question(std::move(message.append(what_no_means)), calls);
}

msg::server_question question_of_all(const std::vector<std::string>& patterns) {
  std::string message =
    "A program asks you to approve ALL calls of this run that need it, any number and with any arguments. It may then "
    "call whatever matches:";
  for (size_t i = 0; i < std::min(patterns.size(), shown_patterns_max); ++i)
    message += "\n" + text::printable(text::quoted(patterns[i], shown_name_of_tool_bytes_max));
  if (patterns.size() > shown_patterns_max)
    message += "\nand " + std::to_string(patterns.size() - shown_patterns_max)
               + " more patterns of security.confirm in the settings";
  message += "\nIf you decline, you are asked for the calls one by one.";
  auto q = question(std::move(message), {});
  q.tool = "*";
  return q;
}

} // namespace actors::run
