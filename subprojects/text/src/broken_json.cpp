#include "text/broken_json.hpp"

#include "text/json_parse.hpp"

#include <algorithm>
#include <utility>

namespace text {

namespace {

constexpr std::string_view blanks = " \t\r\n", punctuation = "{}[]:,";

/// Cuts a text where JSON would, and judges nothing.
class json_tokens {
public:
  explicit json_tokens(std::string_view json) : rest_(json) {}

  /// One of the punctuation, a string with its quotes, or what stands between others; empty: there is none any more.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
    auto token = rest_.substr(0, length());
    rest_.remove_prefix(token.size());
    return token;
  }

private:
  size_t length() const {
    if (rest_.empty() || punctuation.find(rest_[0]) != punctuation.npos)
      return std::min<size_t>(rest_.size(), 1);
    if (rest_[0] != '"')
      return rest_.find_first_of("{}[]:,\" \t\r\n"); // punctuation, a string, blanks
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"')
      end += rest_[end] == '\\' ? 2 : 1;
    return end + 1; // of one without an end: more than there is
  }

  std::string_view rest_;
};

bool is_one_of(std::string_view token, std::string_view characters) {
  return token.size() == 1 && characters.find(token[0]) != characters.npos;
}

bool is_text(std::string_view token, std::string_view text) {
  return token.size() == text.size() + 2 && token[0] == '"' && token.substr(1, text.size()) == text;
}

std::string_view member_in_beginning(std::string_view beginning, std::string_view key) {
  json_tokens tokens{beginning};
  if (tokens.next() != "{")
    return {};
  size_t depth = 1;
  bool is_key = true;
  for (auto token = tokens.next(); depth > 0 && !token.empty(); token = tokens.next()) {
    bool is_wanted = is_key && depth == 1 && is_text(token, key);
    is_key = depth == 1 && token == ",";
    depth += is_one_of(token, "{[") ? 1 : 0;
    depth -= is_one_of(token, "}]") ? 1 : 0;
    if (!is_wanted)
      continue;
    auto colon = tokens.next(), value = tokens.next(), behind = tokens.next();
    return colon == ":" && !is_one_of(value, punctuation) && is_one_of(behind, ",}") ? value : std::string_view{};
  }
  return {};
}

/// Takes `what` from the end, and the blanks before it. False: it is not there.
bool take_last(std::string_view& text, std::string_view what) {
  if (!text.ends_with(what))
    return false;
  text.remove_suffix(what.size());
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  return true;
}

/// What stands before the end of valid JSON can not be read in two ways: a quote inside of a text has a backslash.
std::string_view member_at_end(std::string_view ending, std::string_view key) {
  take_last(ending, "");
  if (!take_last(ending, "}") || ending.empty())
    return {};
  bool is_string = ending.back() == '"';
  auto before = ending.find_last_of(is_string ? "\"" : "{}[]:,\" \t\r\n", ending.size() - (is_string ? 2 : 1));
  if (ending.size() < 2 || before == ending.npos)
    return {};
  auto value = ending.substr(is_string ? before : before + 1);
  ending.remove_suffix(value.size());
  take_last(ending, "");
  bool is_found = !value.empty() && value.find('\\') == value.npos && take_last(ending, ":") && take_last(ending, "\"")
                  && take_last(ending, key) && take_last(ending, "\"") && take_last(ending, ",");
  return is_found ? value : std::string_view{};
}

} // namespace

std::string_view member_of_long_json(std::string_view beginning, std::string_view ending, std::string_view key,
                                     size_t bytes_max) {
  auto found = member_in_beginning(beginning, key);
  if (found.empty())
    found = member_at_end(ending, key);
  return found.size() <= bytes_max ? found : std::string_view{};
}

std::string_view member_of_broken_json(std::string_view json, std::string_view key, size_t bytes_max) {
  json_tokens tokens{json};
  std::string_view found;
  if (tokens.next() != "{")
    return {};
  size_t depth = 1;
  bool is_key = true, is_behind_value = false;
  for (auto token = tokens.next(); depth > 0; token = tokens.next()) {
    if (token.empty() || (std::exchange(is_behind_value, false) && token != "," && token != "}"))
      return {};
    bool is_wanted = is_key && depth == 1 && is_text(token, key);
    is_key = depth == 1 && token == ",";
    depth += is_one_of(token, "{[") ? 1 : 0;
    depth -= is_one_of(token, "}]") ? 1 : 0;
    if (depth == 0)
      break;
    if (!is_wanted)
      continue;
    auto colon = tokens.next(), value = tokens.next();
    if (colon != ":" || value.size() > bytes_max || is_one_of(value, punctuation) || !found.empty())
      return {};
    found = value;
    is_behind_value = true;
  }
  return tokens.next().empty() ? found : std::string_view{};
}

bool is_nested_too_deep(std::string_view json) {
  size_t depth = 0;
  for (size_t i = 0; i < json.size() && depth <= json_depth_max; ++i) {
    depth += json[i] == '{' || json[i] == '[' ? 1 : 0;
    depth -= depth > 0 && (json[i] == '}' || json[i] == ']') ? 1 : 0;
    if (json[i] == '"')
      for (++i; i < json.size() && json[i] != '"'; ++i)
        i += json[i] == '\\' ? 1 : 0;
  }
  return depth > json_depth_max;
}

} // namespace text
