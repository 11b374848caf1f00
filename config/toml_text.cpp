#include "config/toml_text.hpp"

#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

// The only place that includes it: it takes seconds to compile.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

static_assert(TOML_MAX_NESTED_VALUES == limits::config_toml_key_parts_max);

/// toml++ 3.3 bounds how deep values are nested, and not how many parts a dotted key has: each part is one table more,
/// and tables are destroyed by recursion. So the parts are counted here, outside of strings and comments.
class key_lengths {
public:
  explicit key_lengths(std::string_view text) : text_(text) {}

  msg::json_problem check() {
    size_t parts = 1;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '"' || c == '\'') {
        pass_string(c);
        continue;
      }
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      parts = c == '.' ? parts + 1 : std::string_view{"#=[]{},\n"}.find(c) != std::string_view::npos ? 1 : parts;
      if (parts > limits::config_toml_key_parts_max)
        return {"a key of more than " + std::to_string(limits::config_toml_key_parts_max) + " parts", at_};
      ++at_;
    }
    return {};
  }

private:
  /// Of one line, or between three quotes. A backslash counts between double quotes only.
  void pass_string(char quote) {
    std::string closing(text_.substr(at_, 3) == std::string(3, quote) ? 3 : 1, quote);
    at_ += closing.size();
    while (at_ < text_.size() && text_.substr(at_, closing.size()) != closing && (closing.size() == 3 || text_[at_] != '\n'))
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ += closing.size();
    while (closing.size() == 3 && at_ < text_.size() && text_[at_] == quote)
      ++at_; // up to two quotes may stand before the closing ones
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// Its depth is bounded by what was parsed. Beyond config_typed_values_max values it leaves out the rest.
class converter {
public:
  explicit converter(std::vector<text_mark>& marks) : marks_(marks) {}

  bool is_full() const { return marks_.size() >= limits::config_typed_values_max; }

  json::value value(const toml::node& node, const std::string& path) {
    if (auto* table = node.as_table())
      return object(*table, path);
    if (auto* list = node.as_array())
      return array(*list, path);
    if (auto* text = node.as_string())
      return json::string{text->get()};
    if (auto* number = node.as_integer())
      return number->get();
    if (auto* flag = node.as_boolean())
      return flag->get();
    if (auto* number = node.as_floating_point())
      return std::isfinite(number->get()) ? json::value(number->get()) : json::value(std::isnan(number->get()) ? "nan" : "inf");
    return json::string{time_text(node)};
  }

private:
  void mark(const toml::source_region& at, const std::string& path) { marks_.push_back({at.begin.line, at.begin.column, path}); }

  static std::string time_text(const toml::node& node) {
    std::ostringstream out;
    if (auto* date = node.as_date())
      out << date->get();
    else if (auto* time = node.as_time())
      out << time->get();
    else if (auto* both = node.as_date_time())
      out << both->get();
    return out.str();
  }

  json::value object(const toml::table& table, const std::string& path) {
    json::object out;
    for (auto& [key, inner] : table) {
      if (is_full())
        break;
      auto where = member_path(path, key.str());
      mark(key.source(), where);
      out.emplace(key.str(), value(inner, where));
    }
    return out;
  }

  json::value array(const toml::array& list, const std::string& path) {
    json::array out;
    for (auto& inner : list) {
      if (is_full())
        break;
      auto where = item_path(path, out.size());
      mark(inner.source(), where);
      out.push_back(value(inner, where));
    }
    return out;
  }

  std::vector<text_mark>& marks_;
};

} // namespace

msg::json_problem parse_toml(std::string_view text, json::value& out, json_positions& positions) {
  if (auto problem = key_lengths{text}.check(); !problem.what.empty())
    return problem;
  auto parsed = toml::parse(text);
  if (!parsed) {
    auto at = parsed.error().source().begin;
    auto what = parsed.error().description(); // may end with the name of a macro
    return {std::string{what.substr(0, what.find(" (TOML_"))}, offset_of(text, at.line, at.column)};
  }
  std::vector<text_mark> marks;
  converter converting{marks};
  out = converting.value(parsed.table(), "");
  if (converting.is_full())
    return {"more than " + std::to_string(limits::config_typed_values_max) + " values", text.size()};
  positions = find_positions(text, std::move(marks));
  return {};
}

} // namespace config
