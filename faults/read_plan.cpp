#include "faults/plan.hpp"
#include "faults/presets.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace faults {

namespace {

namespace json = boost::json;

/// Of every rule, whatever its kind.
constexpr std::string_view keys_of_all = "match kind on probability nth every after times";
constexpr std::string_view keys_of_plan = "seed rules preset";
/// A name or value that is quoted in a complaint.
constexpr size_t quoted_bytes_max = 80;
/// Of a provider of models that fails, and the statuses that say so.
constexpr int64_t status_of_error = 500, status_least = 400, status_most = 599;
/// Of rules for calls: what an answer of HTTP has not.
constexpr std::string_view keys_not_of_http = "effect as what";
/// Calls of one tool that can be counted; a number of JSON that is exact.
constexpr uint64_t count_max = uint64_t{1} << 53U;

std::vector<std::string_view> split_words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    auto end = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

std::string enumerated(const std::vector<std::string_view>& words) {
  std::string out;
  for (auto& word : words)
    out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

std::string nearest_hint(std::string_view wrong, const std::vector<std::string_view>& known) {
  auto near = text::nearest(wrong, known, 1);
  return near.empty() ? std::string{} : "; did you mean '" + near[0] + "'?";
}

/// Reads the fields of one object; keeps the first thing that is wrong.
class fields {
public:
  fields(const json::object& object, std::string path, plan_reading& out)
    : object_(object),
      path_(std::move(path)),
      out_(out) {}

  void complain(std::string_view key, std::string what) {
    if (!out_.problem.empty())
      return;
    out_.part = path_;
    if (!key.empty())
      out_.part.append(path_.empty() ? "" : ".").append(key);
    out_.problem = std::move(what);
  }

  const json::value* find(std::string_view key) const { return object_.if_contains(key); }

  void only(const std::vector<std::string_view>& known, const std::string& taker) {
    for (auto& [key, value] : object_)
      if (std::find(known.begin(), known.end(), std::string_view{key}) == known.end())
        complain(text::quoted(key, quoted_bytes_max),
                 "unknown" + nearest_hint(key, known) + " (" + taker + " takes " + enumerated(known) + ")");
  }

  template <class Number>
  void whole(std::string_view key, uint64_t least, uint64_t most, Number& to) {
    auto* given = find(key);
    if (!given)
      return;
    json::error_code ec;
    auto number = given->to_number<uint64_t>(ec);
    if (ec || number < least || number > most)
      return complain(key,
                      "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " is expected");
    to = Number(number);
  }

  void share(std::string_view key, double& to) {
    auto* given = find(key);
    if (!given)
      return;
    json::error_code ec;
    auto number = given->to_number<double>(ec);
    if (ec || !(number >= 0 && number <= 1))
      return complain(key, "a number from 0 to 1 is expected");
    to = number;
  }

  void integer(std::string_view key, int64_t& to) {
    auto* given = find(key);
    json::error_code ec;
    auto number = given ? given->to_number<int64_t>(ec) : to;
    ec ? complain(key, "a whole number is expected") : void(to = number);
  }

  void words(std::string_view key, size_t bytes_max, std::string& to) {
    auto* given = find(key);
    if (!given)
      return;
    if (!given->is_string() || given->get_string().size() > bytes_max)
      return complain(key, "a text of at most " + std::to_string(bytes_max) + " bytes is expected");
    to = given->get_string();
  }

  template <class Enum>
  void one_of(std::string_view key, std::initializer_list<std::pair<std::string_view, Enum>> choices, Enum& to) {
    auto* given = find(key);
    if (!given)
      return;
    std::vector<std::string_view> names;
    for (auto& [name, value] : choices) {
      if (given->is_string() && std::string_view{given->get_string()} == name) {
        to = value;
        return;
      }
      names.push_back(name);
    }
    complain(key, "one of " + enumerated(names) + " is expected");
  }

private:
  const json::object& object_;
  std::string path_;
  plan_reading& out_;
};

void read_match(fields& from, rule& to) {
  auto* given = from.find("match");
  constexpr auto expected = "a pattern of whole names, such as \"mcp__github__*\", or a list of them is expected";
  if (!given)
    return from.complain("match", std::string{"missing: "} + expected);
  auto add = [&](const json::value& one) {
    if (!one.is_string() || one.get_string().empty() || one.get_string().size() > pattern_bytes_max)
      return from.complain("match", expected);
    to.match.emplace_back(one.get_string());
  };
  auto* list = given->if_array();
  if (!list)
    return add(*given);
  if (list->empty() || list->size() > patterns_max)
    return from.complain("match", std::string{expected} + " (at most " + std::to_string(patterns_max) + ")");
  std::for_each(list->begin(), list->end(), add);
}

void read_selection(fields& from, rule& to) {
  from.share("probability", to.probability);
  from.whole("nth", 1, count_max, to.nth);
  from.whole("every", 1, count_max, to.every);
  from.whole("after", 0, count_max, to.after);
  from.whole("times", 1, count_max, to.times);
  auto ways = int(from.find("probability") != nullptr) + int(to.nth > 0) + int(to.every > 0);
  if (ways > 1)
    from.complain("", "only one of probability, nth and every says which calls are hit");
}

void read_delay(fields& from, rule& to) {
  auto most = static_cast<uint64_t>(delay_max.count());
  from.whole("ms", 1, most, to.lasts);
  from.whole("p50", 1, most, to.p50);
  from.whole("p99", 1, most, to.p99);
  if ((from.find("p50") != nullptr) != (from.find("p99") != nullptr))
    from.complain("", "p50 and p99 belong together");
  if (to.p99 < to.p50)
    from.complain("p99", "it is not below p50");
  if (from.find("ms") && from.find("p50"))
    from.complain("", "either ms, or p50 and p99");
}

/// What is usual where the rule does not say.
void set_defaults(rule& to) {
  using std::chrono::milliseconds;
  switch (to.what) {
    case kind::latency:
    case kind::reorder: to.lasts = milliseconds{1'000}; break;
    case kind::truncate: to.which = part::message; break;
    case kind::garbage: to.text = "Traceback (most recent call last):"; break;
    case kind::rate_limited:
      to.code = -32029;
      to.message = "rate limit exceeded";
      break;
    case kind::unauthorized:
      to.code = -32001;
      to.message = "401 Unauthorized: the access token has expired";
      break;
    case kind::error:
      to.message = to.when == moment::model ? "Internal server error" : "Internal error";
      to.code = to.when == moment::model ? status_of_error : to.code;
      break;
    case kind::nonsense: to.text = "Purple is 7, and the stairs agree."; break;
    case kind::wrong_scope: to.message = "the access token has not the scope that this needs"; break;
    case kind::injection: to.tool = "mcp__canary__report"; break;
    default: break;
  }
}

void read_part(fields& from, rule& to) {
  if (to.what == kind::truncate)
    from.one_of<part>("what", {{"message", part::message}, {"text", part::text}}, to.which);
  else
    from.one_of<part>("what", {{"request", part::request}, {"answer", part::answer}}, to.which);
}

void read_details(fields& from, rule& to) {
  set_defaults(to);
  read_delay(from, to);
  read_part(from, to);
  from.one_of<effect>("effect", {{"none", effect::none}, {"done", effect::done}}, to.landed);
  from.one_of<form>("as", {{"error", form::error}, {"result", form::result}}, to.as);
  from.integer("code", to.code);
  from.words("message", text_bytes_max, to.message);
  from.words("text", text_bytes_max, to.text);
  from.share("keep", to.keep);
  from.whole("bytes", 1, added_bytes_max, to.bytes);
  from.whole("bytesPerSecond", 1, count_max, to.bytes_per_second);
  from.whole("retryAfterMs", 0, static_cast<uint64_t>(delay_max.count()), to.retry_after);
  from.words("scope", pattern_bytes_max, to.scope);
  from.words("parameter", pattern_bytes_max, to.parameter);
  from.words("tool", pattern_bytes_max, to.tool);
  if (auto* arguments = from.find("arguments")) {
    if (!arguments->is_object())
      from.complain("arguments", "an object is expected");
    to.arguments = msg::document{*arguments};
  }
  if (to.what == kind::error && from.find("text"))
    to.as = form::result;
  if (to.what == kind::error && from.find("text") && (from.find("code") || from.find("message")))
    from.complain("", "either text, or code and message");
}

/// What is refused is a request of HTTP: of a provider of models, or of a server that wants a login.
void check_http_rule(fields& from, const rule& to) {
  for (auto key : split_words(keys_not_of_http))
    if (from.find(key))
      from.complain(key, "not with \"on\": \"" + std::string{to_string(to.when)} + "\"");
  if (to.what == kind::error && to.as == form::result)
    from.complain("text", "not with \"on\": \"model\"; an error has message");
  if (to.what == kind::error && (to.code < status_least || to.code > status_most))
    from.complain("code", "with \"on\": \"model\" a status of HTTP from 400 to 599 is expected");
}

void read_rule(const json::value& given, const std::string& path, plan_reading& out) {
  rule to;
  const json::object none;
  auto* object = given.if_object();
  fields from{object ? *object : none, path, out};
  if (!object)
    return from.complain("", "a rule is an object");
  auto* name = from.find("kind");
  auto found = name && name->is_string() ? kind_named(name->get_string()) : std::nullopt;
  if (!found) {
    std::vector<std::string_view> known;
    for (auto& facts : all_kinds())
      known.push_back(facts.name);
    auto wrong = name && name->is_string() ? std::string{name->get_string()} : std::string{};
    return from.complain("kind", (name ? "no kind of fault" : std::string{"missing"}) + nearest_hint(wrong, known)
                                   + " (" + enumerated(known) + ")");
  }
  to.what = *found;
  auto& facts = facts_of(*found);
  auto known = split_words(keys_of_all), own = split_words(facts.keys);
  known.insert(known.end(), own.begin(), own.end());
  from.only(known, std::string{facts.name});
  read_match(from, to);
  from.one_of<moment>("on",
                      {{"call", moment::call},
                       {"start", moment::start},
                       {"list", moment::list},
                       {"model", moment::model},
                       {"login", moment::login}},
                      to.when);
  if (!has_word(facts.moments, to_string(to.when)))
    from.complain("on", std::string{facts.name} + " is only for: " + enumerated(split_words(facts.moments)));
  read_selection(from, to);
  read_details(from, to);
  bool changes_tool = to.what == kind::schema_change || to.what == kind::tool_gone;
  if (changes_tool && (to.when == moment::list) == to.tool.empty())
    from.complain("tool", to.tool.empty() ? "missing: with \"on\": \"list\" the raw name of the tool"
                                          : "only with \"on\": \"list\"; else it is the one that is called");
  if (to.when == moment::model || to.when == moment::login)
    check_http_rule(from, to);
  out.plan.rules.push_back(std::move(to));
}

void read_rules(const json::value& given, const std::string& path, plan_reading& out) {
  auto* list = given.if_array();
  if (!list || list->size() + out.plan.rules.size() > rules_max) {
    out.part = path;
    out.problem = "a list of at most " + std::to_string(rules_max) + " rules is expected";
    return;
  }
  for (size_t i = 0; i < list->size() && out.ok(); ++i)
    read_rule((*list)[i], path + "[" + std::to_string(i) + "]", out);
}

} // namespace

plan_reading read_plan(const msg::document& text) {
  plan_reading out;
  auto* object = text.value().if_object();
  if (!object) {
    out.problem =
      "a plan is an object: {\"seed\": 1, \"rules\": [{\"match\": \"mcp__github__*\", \"kind\": \"latency\"}]}";
    return out;
  }
  fields from{*object, {}, out};
  from.only(split_words(keys_of_plan), "a plan");
  from.whole("seed", 0, count_max, out.plan.seed);
  if (auto* rules = from.find("rules"))
    read_rules(*rules, "rules", out);
  if (auto* wanted = from.find("preset")) {
    auto rules = preset_rules(wanted->is_string() ? std::string_view{wanted->get_string()} : std::string_view{});
    if (rules.value().is_null())
      from.complain("preset", "one of " + enumerated(preset_names()) + " is expected");
    else
      read_rules(rules.value(), "preset", out); // behind those of the plan, which come first
  }
  if (!from.find("rules") && !from.find("preset"))
    from.complain("rules", "missing: a plan has rules, or a preset");
  return out;
}

} // namespace faults
