#include "config/named_secrets.hpp"

#include "config/secrets.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace config {

namespace json = boost::json;

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$";
/// Between a name and its separator, or that and its value, when they are quoted, perhaps within another text.
constexpr std::string_view around_names = " \t\"'\\";
/// Where a value ends that is not quoted: at the least, and at the most; passwords have such characters in them.
constexpr std::array<std::string_view, 2> value_ends{" \t\r\n?&;,{}[]()\"'#", " \t\r\n&;"};
/// Of the header Authorization, in small letters; what they are followed by is the secret.
constexpr std::array<std::string_view, 5> schemes{"bearer ", "basic ", "token ", "apikey ", "dpop "};

std::string_view from_first(std::string_view text, std::string_view not_of) {
  return text.substr(std::min(text.find_first_not_of(not_of), text.size()));
}

std::string_view without_scheme(std::string_view value) {
  for (auto scheme : schemes) {
    bool is_it = value.size() > scheme.size()
                 && std::equal(scheme.begin(), scheme.end(), value.begin(), [](char a, unsigned char b) { return a == std::tolower(b); });
    if (is_it)
      return from_first(value.substr(scheme.size()), blanks);
  }
  return value;
}

class named_secret_finder {
public:
  void look_into(std::string_view text) {
    json::value value;
    auto trimmed = from_first(text, blanks);
    bool may_be_json = trimmed.starts_with('{') || trimmed.starts_with('[');
    if (may_be_json && text::parse_json(trimmed, text::json_dialect::strict, value).what.empty())
      look_into({}, value);
    else
      look_for_pairs(text);
  }
  std::vector<std::string> found;

private:
  void add(std::string_view name, std::string_view value) {
    if (found.size() < named_secrets_max && !value.empty() && is_secret_pair(name, value)
        && std::find(found.begin(), found.end(), value) == found.end())
      found.emplace_back(value);
  }

  /// An element of an array has the name of that.
  void look_into(std::string_view name, const json::value& value) {
    if (auto* object = value.if_object()) {
      for (auto& member : *object)
        look_into(member.key(), member.value());
    } else if (auto* array = value.if_array()) {
      for (auto& element : *array)
        look_into(name, element);
    } else if (auto* string = value.if_string()) {
      add(name, without_scheme(string->subview()));
      look_into(string->subview());
    } else if (value.is_number()) {
      add(name, text::to_text(value));
    }
  }

  void look_for_pairs(std::string_view text) {
    auto first_blank = std::min(text.find_first_of(blanks), text.size());
    for (auto at = text.find_first_of("=:"); at != text.npos && found.size() < named_secrets_max; at = text.find_first_of("=:", at + 1)) {
      auto before = text.substr(0, text.substr(0, at).find_last_not_of(around_names) + 1);
      auto begin = before.find_last_not_of(name_bytes) + 1;
      bool is_whole = begin == 0 || (text.starts_with('-') && begin <= first_blank); // as in `--env=NAME=VALUE`
      if (begin < before.size())
        take_value(before.substr(begin), text.substr(at + 1), is_whole);
    }
  }

  /// `is_whole`: the pair is all of its text, so that the value may have anything in it.
  void take_value(std::string_view name, std::string_view rest, bool is_whole) {
    rest = from_first(rest, blanks);
    auto quoted = from_first(rest, "\\");
    auto end = quoted.starts_with('"') || quoted.starts_with('\'') ? quoted.find(quoted[0], 1) : quoted.npos;
    if (end != quoted.npos) {
      auto inside = quoted.substr(1, end - 1);
      add(name, without_scheme(inside.substr(0, inside.find_last_not_of('\\') + 1)));
    }
    rest = without_scheme(rest);
    for (auto ends : value_ends)
      add(name, end == quoted.npos ? rest.substr(0, rest.find_first_of(ends)) : std::string_view{});
    if (is_whole)
      add(name, rest);
  }
};

} // namespace

std::vector<std::string> named_secrets(std::string_view text) {
  named_secret_finder finder;
  finder.look_into(text);
  return std::move(finder.found);
}

} // namespace config
