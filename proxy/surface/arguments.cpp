#include "proxy/surface/arguments.hpp"

#include "messages/limits.hpp"
#include "proxy/name_patterns.hpp"
#include "proxy/names.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace surface {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t quoted_value_bytes_max = 80;

/// Of the seed's contract; what is configured may be less.
constexpr int64_t sampling_rounds_most = 100, sampling_tokens_least = 100, sampling_tokens_most = 100'000;
/// Longer than any system prompt that a user would put on an allowlist.
constexpr size_t system_prompt_bytes_max = 16u << 10;
constexpr size_t sampling_models_max = 100, model_name_bytes_max = 200;

/// What a text may hold. Elsewhere a control character is never meant, and may be taken for the end of something.
enum class text_kind : uint8_t {
  line,    ///< a name, a path: no control characters
  prose,   ///< tabs and ends of lines as well
  program, ///< everything but a NUL: Python refuses that, and JavaScript says \0
};

size_t find_unwanted(std::string_view text, text_kind kind) {
  return kind == text_kind::program ? text.find('\0')
                                    : text::find_control(text, kind == text_kind::prose ? "\t\r\n" : "");
}

std::string wanted_instead(std::string_view text, size_t unwanted, text_kind kind) {
  auto place = "(there is one at byte " + std::to_string(unwanted) + " of " + std::to_string(text.size()) + ")";
  return kind == text_kind::program ? "a text without NUL characters " + place + "; in a string write \\0"
         : kind == text_kind::prose ? "a text without control characters but tabs and ends of lines " + place
                                    : "a text without control characters " + place;
}

std::optional<int64_t> whole_number(const json::value& v) {
  int64_t number = 0;
  if (auto* text = v.if_string()) {
    auto end = text->data() + text->size();
    auto read = std::from_chars(text->data(), end, number);
    return read.ec == std::errc{} && read.ptr == end ? std::optional{number} : std::nullopt;
  }
  auto* real = v.if_double();
  return real && *real == std::floor(*real) ? text::whole_part<int64_t>(*real) : std::nullopt;
}

/// Takes the parameters one by one and keeps the first complaint.
class reader {
public:
  explicit reader(const json::object& arguments) : arguments_(arguments) {}

  const json::value* take(std::string_view name) {
    known_.push_back(name);
    auto* v = arguments_.if_contains(name);
    return v && !v->is_null() ? v : nullptr;
  }

  /// `key` is the setting of the bound.
  std::string text(std::string_view name, size_t bytes_max = limits::query_bytes_max, const char* key = "",
                   text_kind kind = text_kind::line) {
    auto* v = take(name);
    if (!v)
      return {};
    if (!v->is_string())
      return complain(name, "a string", *v), std::string{};
    if (v->get_string().size() > bytes_max)
      return complain(name, "at most " + std::to_string(bytes_max) + " bytes" + key,
                      json::value(v->get_string().size())),
             std::string{};
    if (auto unwanted = find_unwanted(v->get_string(), kind); unwanted != std::string_view::npos)
      return complain(name, wanted_instead(v->get_string(), unwanted, kind)), std::string{};
    return std::string{v->get_string()};
  }

  std::string required_text(std::string_view name, size_t bytes_max = limits::query_bytes_max, const char* key = "",
                            text_kind kind = text_kind::line) {
    auto value = text(name, bytes_max, key, kind);
    auto* given = arguments_.if_contains(name);
    if (!given && problem_.code == errc::none)
      problem_ = {errc::invalid_argument, "'" + std::string{name} + "' is missing: expected a non-empty string"};
    if (value.find_first_not_of(" \t\r\n") == value.npos && problem_.code == errc::none)
      complain(name, "a non-empty string", *given);
    return value;
  }

  /// 0: absent. Some clients write 1000 as 1000.0, some as "1000".
  int64_t integer(std::string_view name, int64_t least, int64_t most, const char* key = "") {
    auto* v = take(name);
    if (!v)
      return 0;
    auto value = v->is_int64() ? v->get_int64() : whole_number(*v).value_or(least - 1);
    if (value < least || value > most)
      return complain(name, "an integer from " + std::to_string(least) + " to " + std::to_string(most) + key, *v), 0;
    return value;
  }

  /// The same, but more than `most` is taken as that many.
  int64_t integer_up_to(std::string_view name, int64_t least, int64_t most) {
    auto* v = arguments_.if_contains(name);
    bool is_more = v
                   && ((v->is_int64() && v->get_int64() > most) || v->is_uint64()
                       || (v->is_double() && v->get_double() > static_cast<double>(most))
                       || (v->is_string() && whole_number(*v).value_or(0) > most));
    if (!is_more)
      return integer(name, least, most);
    take(name);
    return most;
  }

  bool flag(std::string_view name) {
    bool given = false;
    return flag(name, given);
  }

  bool flag(std::string_view name, bool& given) {
    auto* v = take(name);
    given = v != nullptr;
    bool is_yes = given && (*v == true || *v == "true");
    if (given && !is_yes && *v != false && *v != "false")
      complain(name, "true or false", *v);
    return is_yes;
  }

  /// An object with its own reader; its complaints are kept here.
  template <class Read>
  void object(std::string_view name, Read read) {
    auto* v = take(name);
    if (v && !v->is_object())
      return complain(name, "an object", *v);
    if (!v)
      return;
    reader inner{v->get_object()};
    read(inner);
    if (auto& problem = inner.finish(); problem.code != errc::none && problem_.code == errc::none)
      problem_ = {problem.code, "in '" + std::string{name} + "': " + problem.message};
  }

  std::vector<std::string> texts(std::string_view name, size_t count_max, bool& given,
                                 size_t bytes_max = limits::pattern_bytes_max) {
    auto* v = take(name);
    given = v != nullptr;
    std::vector<std::string> out;
    if (!v)
      return out;
    if (!v->is_array())
      return complain(name, "a list of strings", *v), out;
    if (v->get_array().size() > count_max)
      return complain(name, "at most " + std::to_string(count_max) + " entries", json::value(v->get_array().size())),
             out;
    for (auto& item : v->get_array()) {
      if (!item.is_string() || item.get_string().empty() || item.get_string().size() > bytes_max)
        return complain(name, "a list of non-empty strings of at most " + std::to_string(bytes_max) + " bytes", item),
               out;
      if (auto unwanted = find_unwanted(item.get_string(), text_kind::line); unwanted != std::string_view::npos)
        return complain(name, "a list of texts without control characters", item), out;
      out.emplace_back(item.get_string());
    }
    return out;
  }

  void complain(std::string_view name, const std::string& expected, const json::value& given) {
    if (problem_.code == errc::none)
      problem_ = {errc::invalid_argument, "'" + std::string{name} + "' must be " + expected + ", not " + quoted(given)};
  }

  void complain(std::string_view name, const std::string& expected) {
    if (problem_.code == errc::none)
      problem_ = {errc::invalid_argument, "'" + std::string{name} + "' must be " + expected};
  }

  /// After all parameters were taken: complains about the first that no take() has named.
  const fault& finish() {
    for (auto& [name, value] : arguments_) {
      std::string_view key{name};
      if (problem_.code != errc::none || std::find(known_.begin(), known_.end(), key) != known_.end())
        continue;
      auto near = proxy::nearest(key, known_, 1);
      problem_ = {errc::invalid_argument,
                  "unknown parameter '" + text::printable(text::quoted(key, quoted_value_bytes_max)) + "'"
                    + (near.empty() ? "." : "; did you mean '" + near.front() + "'?") + " Known: " + known_names()};
    }
    return problem_;
  }

private:
  static std::string quoted(const json::value& v) {
    auto text = text::json_beginning(v, quoted_value_bytes_max + 1);
    if (text.size() > quoted_value_bytes_max)
      text = v.is_object()  ? "an object"
             : v.is_array() ? "a list"
                            : "a text of " + std::to_string(v.get_string().size()) + " bytes";
    return text;
  }

  std::string known_names() const {
    std::string out;
    for (auto name : known_)
      out += (out.empty() ? "" : ", ") + std::string{name};
    return out.empty() ? "none" : out;
  }

  const json::object& arguments_;
  std::vector<std::string_view> known_;
  fault problem_;
};

/// The first of the three spellings that is given.
uint32_t read_timeout(reader& r, const tool& t, const run_limits& given) {
  bool of_bridge = t.shape == result_shape::bridge && given.bridge.most <= given.times.most;
  auto key =
    of_bridge && given.bridge.most < given.times.most ? " (MCP_BRIDGE_MAX_TIMEOUT)" : " (security.maxTimeoutMs)";
  auto least = limits::run_timeout_min.count(), most = (of_bridge ? given.bridge : given.times).most.count();
  auto ms = r.integer("timeoutMs", least, most, key);
  auto snake = r.integer("timeout_ms", least, most, key);
  auto seconds = r.integer("timeout", least / 1000, most / 1000, key);
  auto chosen = ms != 0 ? ms : snake != 0 ? snake : seconds * 1000;
  auto usual = (t.shape == result_shape::bridge ? given.bridge : given.times).usual.count();
  return static_cast<uint32_t>(chosen != 0 ? chosen : std::min(usual, most));
}

msg::permissions read_permissions(reader& r) {
  msg::permissions wanted;
  r.object("permissions", [&](reader& p) {
    bool given = false;
    wanted.read = p.texts("read", limits::permissions_max, given, limits::path_bytes_max);
    wanted.write = p.texts("write", limits::permissions_max, given, limits::path_bytes_max);
    wanted.net = p.texts("net", limits::permissions_max, given, limits::path_bytes_max);
  });
  return wanted;
}

/// Whether it may lower what is configured, and what is allowed at all, is for the run to say.
msg::sampling_options read_sampling(reader& r) {
  msg::sampling_options wish;
  bool given = false;
  bool enabled = r.flag("enableSampling", given);
  if (given)
    wish.enabled = enabled ? msg::sampling_switch::on : msg::sampling_switch::off;
  wish.rounds_max = static_cast<uint32_t>(r.integer("maxSamplingRounds", 1, sampling_rounds_most));
  wish.tokens_max = static_cast<uint32_t>(r.integer("maxSamplingTokens", sampling_tokens_least, sampling_tokens_most));
  wish.system_prompt = r.text("samplingSystemPrompt", system_prompt_bytes_max, "", text_kind::prose);
  wish.models = r.texts("allowedSamplingModels", sampling_models_max, wish.has_models, model_name_bytes_max);
  wish.verbose = r.flag("samplingVerbose");
  return wish;
}

output_format read_format(reader& r, output_format otherwise) {
  auto given = r.text("format");
  if (!given.empty() && given != "toon" && given != "json" && given != "compact")
    r.complain("format", "json, compact (the same) or toon", json::value(given));
  return given.empty() ? otherwise : given == "toon" ? output_format::toon : output_format::usual;
}

/// Names end up in messages and logs: printable ASCII is enough.
void read_session(reader& r, msg::run_request& request) {
  request.session = r.text("session", limits::session_name_bytes_max);
  request.reset_session = r.flag("resetSession");
  auto printable = [](char c) { return c > ' ' && c < 127; };
  if (!std::all_of(request.session.begin(), request.session.end(), printable))
    r.complain("session", "a name of printable characters without spaces", json::value(request.session));
  if (request.reset_session && request.session.empty())
    r.complain("resetSession", "used together with 'session'", json::value(true));
}

void read_faults(reader& r, const run_limits& given, msg::run_request& request) {
  auto* plan = r.take("faults");
  if (!plan)
    return;
  request.faults = msg::document{*plan};
  if (!given.check_faults)
    r.complain("faults", "left out: runs may have none of their own here (security.allowFaults)");
  else if (auto problem = given.check_faults(request.faults); !problem.empty())
    r.complain("faults", "a plan of faults, which this is not: " + problem);
}

} // namespace

msg::outcome<run_arguments> parse_run(const tool& t, const json::object& arguments, const run_limits& given_limits) {
  reader r{arguments};
  run_arguments out;
  out.request.lang = t.language;
  out.request.code =
    r.required_text("code", given_limits.code_bytes_max, " (security.maxCodeSize)", text_kind::program);
  out.request.timeout_ms = read_timeout(r, t, given_limits);
  out.request.wanted = read_permissions(r);
  out.request.sampling = read_sampling(r);
  out.format = read_format(r, t.shape == result_shape::bridge ? given_limits.bridge_format : output_format::usual);
  read_session(r, out.request);
  read_faults(r, given_limits, out.request);
  out.request.type_check = r.flag("typeCheck");
  if (out.request.type_check && t.language != msg::language::typescript)
    r.complain("typeCheck", "left out: only TypeScript is checked", json::value(true));
  if (out.request.type_check && !out.request.session.empty())
    r.complain("typeCheck", "used without 'session', whose names are not known to the checker", json::value(true));
  bool given = false;
  out.request.allowed.patterns = r.texts("allowedTools", limits::allowed_tools_max, given);
  if (auto bytes = proxy::bytes_of_those_with_stars(out.request.allowed.patterns); bytes > limits::patterns_bytes_max)
    r.complain("allowedTools",
               "at most " + std::to_string(limits::patterns_bytes_max) + " bytes in all patterns with a star",
               json::value(bytes));
  out.request.allowed.everything = !given;
  if (t.shape == result_shape::bridge) {
    out.servers = r.texts("servers", limits::allowed_tools_max, given);
    out.request.allowed.servers = out.servers;
    if (given && out.servers.empty()) // an empty list: no tool at all
      out.request.allowed.everything = false;
  }
  if (auto& problem = r.finish(); problem.code != errc::none)
    return problem;
  return out;
}

msg::outcome<search_arguments> parse_search(const json::object& arguments) {
  reader r{arguments};
  search_arguments out;
  out.query.text = r.required_text("query", limits::query_bytes_max, "", text_kind::prose);
  out.query.server = r.text("server");
  auto detail = r.text("detail");
  out.query.limit = static_cast<uint32_t>(r.integer_up_to("limit", 1, limits::search_results_max));
  if (out.query.limit == 0)
    out.query.limit = limits::search_results_default;
  if (detail == "minimal")
    out.detail = msg::tool_detail::minimal;
  else if (detail == "full")
    out.detail = msg::tool_detail::full;
  else if (!detail.empty() && detail != "standard")
    r.complain("detail", "minimal, standard or full", json::value(detail));
  if (auto& problem = r.finish(); problem.code != errc::none)
    return problem;
  return out;
}

msg::outcome<msg::tool_ref> parse_signature(const json::object& arguments) {
  reader r{arguments};
  msg::tool_ref ref;
  ref.server = r.required_text("server");
  ref.tool = r.required_text("tool");
  if (auto& problem = r.finish(); problem.code != errc::none)
    return problem;
  return ref;
}

msg::outcome<bool> parse_nothing(const json::object& arguments) {
  reader r{arguments};
  if (auto& problem = r.finish(); problem.code != errc::none)
    return problem;
  return true;
}

} // namespace surface
