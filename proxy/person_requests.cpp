#include "proxy/person_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/asked_form.hpp"
#include "proxy/parameter_reader.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace proxy {

namespace json = boost::json;
namespace limits = msg::limits;
using person_request = std::variant<guest_question, guest_approval>;

namespace {

constexpr std::string_view announcement = R"(a list such as ["mcp__github__create_issue x 12"])";
constexpr std::string_view times_signs[] = {"x", "X", "\u00d7"};

std::optional<uint32_t> count_of(int64_t number) {
  return number >= 1 && number <= limits::tool_calls_max ? std::optional{static_cast<uint32_t>(number)} : std::nullopt;
}

/// What is no number is nothing; one that does not fit counts as none, too.
std::optional<int64_t> number_of(std::string_view digits) {
  int64_t number = 0;
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc{} && end == digits.data() + digits.size() && !digits.starts_with('-')
           ? std::optional{number}
           : std::nullopt;
}

std::optional<announced_calls> named_calls(std::string_view name, std::optional<uint32_t> count) {
  name = text::trimmed(name);
  if (name.empty() || name.size() > limits::pattern_bytes_max || name.find('*') != name.npos || !count)
    return std::nullopt;
  return announced_calls{{std::string{name}, {}, {}}, *count};
}

/// Of a tool that is named again there are more.
bool add(std::vector<announced_calls>& to, std::optional<announced_calls> calls) {
  if (!calls)
    return false;
  auto same = std::find_if(to.begin(), to.end(), [&](auto& c) { return c.tool.full_name == calls->tool.full_name; });
  if (same == to.end())
    to.push_back(std::move(*calls));
  else
    same->count = std::min(same->count + calls->count, limits::tool_calls_max);
  return true;
}

void read_announced(parameter_reader& r, const json::value& given, std::vector<announced_calls>& to) {
  bool is_right = false;
  if (auto* text = given.if_string()) {
    is_right = text->size() <= 2 * limits::pattern_bytes_max && add(to, parse_announced(*text));
  } else if (auto* list = given.if_array(); list && !list->empty() && list->size() <= limits::allowed_tools_max) {
    is_right = std::all_of(list->begin(), list->end(), [&](auto& each) {
      return each.is_string() && each.get_string().size() <= 2 * limits::pattern_bytes_max
             && add(to, parse_announced(each.get_string()));
    });
  } else if (auto* counts = given.if_object();
             counts && !counts->empty() && counts->size() <= limits::allowed_tools_max) {
    is_right = std::all_of(counts->begin(), counts->end(), [&](auto& each) {
      return each.value().is_int64() && add(to, named_calls(each.key(), count_of(each.value().get_int64())));
    });
  }
  if (!is_right)
    r.complain("summary",
               std::string{announcement} + ", with names of tools without a star and counts from 1 to "
                 + std::to_string(limits::tool_calls_max),
               &given);
  else if (to.size() > announced_tools_max)
    r.complain("summary", "of at most " + std::to_string(announced_tools_max) + " tools");
}

msg::outcome<person_request> parse_question(uint64_t id, const json::object& params) {
  parameter_reader r{"askUser", params};
  guest_question asked;
  asked.id = id;
  asked.message = r.required_text("message", asked_message_bytes_max);
  if (r.ok() && text::printable(asked.message).find_first_not_of(" \t") == std::string::npos)
    r.complain("message", "a question");
  if (!r.ok())
    return std::move(r.problem);
  auto form = asked_form("askUser", r.given("schema"));
  if (!form.ok())
    return std::move(form.error);
  asked.form = msg::document{json::value(std::move(form.value))};
  return person_request{std::move(asked)};
}

msg::outcome<person_request> parse_approval(uint64_t id, const json::object& params) {
  parameter_reader r{"approve", params};
  guest_approval wanted;
  wanted.id = id;
  if (auto* given = r.given("summary"))
    read_announced(r, *given, wanted.calls);
  if (!r.ok())
    return std::move(r.problem);
  return person_request{std::move(wanted)};
}

} // namespace

std::optional<announced_calls> parse_announced(std::string_view text) {
  text = text::trimmed(text);
  auto name_end = text.find_last_not_of("0123456789") + 1; // 0: digits alone
  auto before = text::trimmed(text.substr(0, name_end));
  auto digits = text.substr(name_end);
  for (auto sign : times_signs)
    if (!digits.empty() && before.ends_with(sign)) {
      auto name = before.substr(0, before.size() - sign.size());
      if (name.ends_with(' ')) { // else the sign is a part of the name
        auto number = number_of(digits);
        return named_calls(name, number ? count_of(*number) : std::nullopt);
      }
    }
  return named_calls(text, 1);
}

std::optional<msg::outcome<person_request>> parse_person_request(std::string_view method, uint64_t id,
                                                                 const json::object& params) {
  if (method == "ask")
    return parse_question(id, params);
  if (method == "approve")
    return parse_approval(id, params);
  return std::nullopt;
}

} // namespace proxy
