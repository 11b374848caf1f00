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

/// Work on one text, and what is kept of it: names that are judged (of the shortest pairs of the longest text the
/// kernel takes, one in four), and pairs among them whose values are looked at.
constexpr size_t names_max = 16'384, pairs_max = 1'000;
/// Shorter than any name of a secret.
constexpr size_t name_bytes_min = 2;
/// Far more than any key has, certificates too. Of longer values there is the beginning, unless all of them together
/// have at most so many times the bytes of the text: the only value of it, with each end.
constexpr size_t value_bytes_max = 4u << 10, long_values_max = 2;

std::string_view from_first(std::string_view text, std::string_view not_of) {
  return text.substr(std::min(text.find_first_not_of(not_of), text.size()));
}

std::string_view without_scheme(std::string_view value) {
  for (auto scheme : schemes) {
    bool is_it = value.size() > scheme.size()
                 && std::equal(scheme.begin(), scheme.end(), value.begin(),
                               [](char a, unsigned char b) { return a == std::tolower(b); });
    if (is_it)
      return from_first(value.substr(scheme.size()), blanks);
  }
  return value;
}

/// The places of some bytes in a text, for questions that go forwards: all of them together go through the text once.
class places_ahead {
public:
  places_ahead(std::string_view text, std::string_view of) : text_(text), of_(of) {}
  /// The first that is not before `begin`, or the end of the text.
  size_t from(size_t begin) {
    if (!is_known_ || next_ < begin)
      next_ = std::min(text_.find_first_of(of_, begin), text_.size());
    is_known_ = true;
    return next_;
  }

private:
  std::string_view text_, of_;
  size_t next_ = 0;
  bool is_known_ = false;
};

/// What is kept of the values, and how much more is looked at.
class secret_values {
public:
  explicit secret_values(size_t text_bytes) : long_bytes_left_(long_values_max * text_bytes) {}

  bool is_full() const { return found.size() >= named_secrets_max || names_left_ == 0 || pairs_left_ == 0; }
  bool is_name(std::string_view name) {
    if (is_full() || name.size() < name_bytes_min)
      return false;
    --names_left_;
    bool is_one = is_secret_pair_name(name);
    pairs_left_ -= is_one ? 1 : 0;
    return is_one;
  }
  /// Of a name that is one.
  void add(std::string_view name, std::string_view value) {
    if (value.size() > value_bytes_max && !is_known(value))
      value = part_of_long(value);
    if (found.size() < named_secrets_max && !value.empty() && !is_known(value) && is_secret_pair(name, value))
      found.emplace_back(value);
  }

  std::vector<std::string> found;

private:
  bool is_known(std::string_view value) const { return std::find(found.begin(), found.end(), value) != found.end(); }
  std::string_view part_of_long(std::string_view value) {
    if (value.size() > long_bytes_left_)
      return value.substr(0, value_bytes_max);
    long_bytes_left_ -= value.size();
    return value;
  }

  size_t names_left_ = names_max, pairs_left_ = pairs_max, long_bytes_left_;
};

/// Those of one text that is no JSON.
class pair_finder {
public:
  pair_finder(std::string_view text, secret_values& to) : text_(text), to_(to) {}

  void look() {
    constexpr std::string_view separators = "=:";
    auto first_blank = std::min(text_.find_first_of(blanks), text_.size());
    size_t after_last = 0; // names do not reach over the separator before them
    for (auto at = text_.find_first_of(separators); at != text_.npos && !to_.is_full();
         at = text_.find_first_of(separators, at + 1)) {
      auto before = text_.substr(after_last, at - after_last);
      before = before.substr(0, before.find_last_not_of(around_names) + 1);
      auto name = before.substr(before.find_last_not_of(name_bytes) + 1);
      auto begin = static_cast<size_t>(name.data() - text_.data());
      bool is_whole = begin == 0 || (text_.starts_with('-') && begin <= first_blank); // as in `--env=NAME=VALUE`
      if (to_.is_name(name))
        take_value(name, at + 1, is_whole);
      after_last = at + 1;
    }
  }

private:
  size_t after(size_t begin, std::string_view bytes) const {
    return std::min(text_.find_first_not_of(bytes, begin), text_.size());
  }

  /// `is_whole`: the pair is all of its text, so that the value may have anything in it.
  void take_value(std::string_view name, size_t begin, bool is_whole) {
    begin = after(begin, blanks);
    auto quote = after(begin, "\\");
    bool is_quoted = quote < text_.size() && (text_[quote] == '"' || text_[quote] == '\'');
    auto end = is_quoted ? quotes_[text_[quote] == '"' ? 0 : 1].from(quote + 1) : text_.size();
    if (end < text_.size()) {
      auto inside = text_.substr(quote + 1, end - quote - 1);
      to_.add(name, without_scheme(inside.substr(0, inside.find_last_not_of('\\') + 1)));
    }
    auto rest = without_scheme(text_.substr(begin));
    begin = text_.size() - rest.size();
    for (auto& ends : ends_)
      if (end == text_.size())
        to_.add(name, text_.substr(begin, ends.from(begin) - begin));
    if (is_whole)
      to_.add(name, rest);
  }

  std::string_view text_;
  secret_values& to_;
  std::array<places_ahead, 2> quotes_{places_ahead{text_, "\""}, places_ahead{text_, "'"}};
  std::array<places_ahead, 2> ends_{places_ahead{text_, value_ends[0]}, places_ahead{text_, value_ends[1]}};
};

void look_into(std::string_view text, secret_values& to);

/// An element of an array has the name of that.
void look_into(std::string_view name, const json::value& value, secret_values& to) {
  if (to.is_full())
    return;
  if (auto* object = value.if_object()) {
    for (auto& member : *object)
      look_into(member.key(), member.value(), to);
  } else if (auto* array = value.if_array()) {
    for (auto& element : *array)
      look_into(name, element, to);
  } else if (auto* string = value.if_string()) {
    if (to.is_name(name))
      to.add(name, without_scheme(string->subview()));
    look_into(string->subview(), to);
  } else if (value.is_number() && to.is_name(name)) {
    to.add(name, text::to_text(value));
  }
}

void look_into(std::string_view text, secret_values& to) {
  json::value value;
  auto trimmed = from_first(text, blanks);
  bool may_be_json = trimmed.starts_with('{') || trimmed.starts_with('[');
  if (may_be_json && text::parse_json(trimmed, text::json_dialect::strict, value).what.empty())
    look_into({}, value, to);
  else
    pair_finder{text, to}.look();
}

} // namespace

std::vector<std::string> named_secrets(std::string_view text) {
  secret_values values{text.size()};
  look_into(text, values);
  return std::move(values.found);
}

} // namespace config
