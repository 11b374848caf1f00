#include "config/toml_text.hpp"

#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

// The only place that includes it: it takes seconds to compile. What it asserts of a text, it does not know to hold.
#undef NDEBUG
[[noreturn]] static void reject(const char* expression) { throw std::logic_error{expression}; }
#define TOML_ASSERT(expression) ((expression) ? void() : reject(#expression))
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

constexpr std::string_view bare_key_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What toml++ 3.3 does not check itself, outside of strings and comments: how many parts a dotted key has, each of which is
/// one table more, and tables are destroyed by recursion; and that the name of a table begins like a name, which it asserts.
class key_check {
public:
  explicit key_check(std::string_view text) : text_(text) {}

  msg::json_problem check() {
    size_t parts = 1;
    for (bool at_line_start = true; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (at_line_start && c == '[' && open_ == 0 && !pass_to_name())
        return {"expected the name of a table", at_};
      at_line_start = c == '\n' || (at_line_start && (c == ' ' || c == '\t' || c == '\r'));
      if (c == '"' || c == '\'') {
        pass_string(c);
        continue;
      }
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      count_brackets(c);
      parts = c == '.' ? parts + 1 : std::string_view{"#=[]{},\n"}.find(c) != std::string_view::npos ? 1 : parts;
      if (parts > limits::config_toml_key_parts_max)
        return {"a key of more than " + std::to_string(limits::config_toml_key_parts_max) + " parts", at_};
    }
    return {};
  }

private:
  /// Over the brackets before the name of a table, but for the last; they close on the same line and are not counted.
  bool pass_to_name() {
    in_header_ = true;
    auto name = text_.find_first_not_of(" \t", at_ + 1);
    if (name != text_.npos && text_[name] == '[')
      name = text_.find_first_not_of(" \t", (at_ = name) + 1);
    bool is_name = name == text_.npos || std::string_view{"\"'"}.find(text_[name]) != std::string_view::npos
                   || bare_key_characters.find(text_[name]) != std::string_view::npos;
    at_ = is_name ? at_ : name;
    return is_name;
  }

  void count_brackets(char c) {
    in_header_ = in_header_ && c != '\n';
    if (!in_header_ && (c == '[' || c == '{'))
      ++open_;
    if (!in_header_ && (c == ']' || c == '}') && open_ > 0)
      --open_;
  }

  /// Of one line, or between three quotes. A backslash counts between double quotes only.
  void pass_string(char quote) {
    std::string closing(text_.substr(at_, 3) == std::string(3, quote) ? 3 : 1, quote);
    at_ += closing.size();
    while (at_ < text_.size() && text_.substr(at_, closing.size()) != closing && (closing.size() == 3 || text_[at_] != '\n'))
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ += closing.size();
    while (closing.size() == 3 && at_ < text_.size() && text_[at_] == quote)
      ++at_; // up to two quotes may stand before the closing ones
    --at_;   // on the last of them
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t open_ = 0;        ///< brackets of lists and inline tables
  bool in_header_ = false; ///< on the line of the name of a table
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

toml::parse_result parse_unless_asserted(std::string_view text) {
  try {
    return toml::parse(text);
  } catch (const std::logic_error&) {
    return toml::parse_result{toml::parse_error{std::string{"it can not be read"}, toml::source_position{1, 1}}};
  }
}

} // namespace

msg::json_problem parse_toml(std::string_view text, json::value& out, json_positions& positions) {
  if (auto problem = key_check{text}.check(); !problem.what.empty())
    return problem;
  auto parsed = parse_unless_asserted(text);
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
