#include "text/json_spelling.hpp"

#include "text/json_parse.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

namespace text {

namespace json = boost::json;

namespace {

constexpr std::string_view white = " \t\n\r", ends_of_scalars = " \t\n\r,:[]{}\"";

/// Reads a JSON text piece by piece. Of a broken one it finds something, and its end.
class spelled_text {
public:
  explicit spelled_text(std::string_view text) : rest_(text) {}

  /// The next byte that is no white space; 0: there is none.
  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(white), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    bool is_there = c != '\0' && next() == c;
    if (is_there)
      rest_.remove_prefix(1);
    return is_there;
  }
  /// A text with its quotes, a number or a word; empty: there is none.
  std::string_view take_scalar() {
    return next() == '"' ? cut(string_end()) : cut(rest_.find_first_of(ends_of_scalars));
  }
  /// Anything, with all that is in it.
  std::string_view take_value() {
    auto from = (next(), rest_);
    size_t depth = 0;
    do {
      auto c = next();
      if (c == '{' || c == '[')
        ++depth;
      else if ((c == '}' || c == ']') && depth > 0)
        --depth;
      if (c == '"' || (c != '\0' && ends_of_scalars.find(c) == ends_of_scalars.npos))
        take_scalar();
      else
        cut(1);
    } while (depth > 0 && !rest_.empty());
    return from.substr(0, from.size() - rest_.size());
  }

private:
  std::string_view cut(size_t size) {
    auto out = rest_.substr(0, size);
    rest_.remove_prefix(out.size());
    return out;
  }
  size_t string_end() const {
    for (size_t at = 1; at < rest_.size(); ++at)
      if (rest_[at] == '\\')
        ++at;
      else if (rest_[at] == '"')
        return at + 1;
    return rest_.size();
  }

  std::string_view rest_;
};

/// Of one escape, which begins after the backslash and is left behind. Empty: half of a surrogate pair, or broken.
std::string take_escape(std::string_view& rest) {
  constexpr std::string_view letters = R"("\/bfnrt)", meant = "\"\\/\b\f\n\r\t";
  constexpr char32_t no_unit = 0xdc00;
  auto take_unit = [&]() -> char32_t { // of UTF-16
    unsigned unit = 0;
    auto hex = rest.starts_with('u') ? rest.substr(1, 4) : std::string_view{};
    bool is_one = hex.size() == 4 && std::from_chars(hex.data(), hex.data() + 4, unit, 16).ptr == hex.data() + 4;
    rest.remove_prefix(is_one ? 5 : rest.size());
    return is_one ? unit : no_unit;
  };
  if (auto letter = rest.empty() ? letters.npos : letters.find(rest.front()); letter != letters.npos) {
    rest.remove_prefix(1);
    return {meant[letter]};
  }
  auto unit = take_unit();
  if (unit < 0xd800 || unit >= 0xe000)
    return utf8_of(unit);
  if (unit >= 0xdc00 || !rest.starts_with('\\'))
    return {};
  rest.remove_prefix(1);
  auto low = take_unit();
  return low >= 0xdc00 && low < 0xe000 ? utf8_of(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)) : std::string{};
}

/// Whether a text with its quotes says that. False also where take_escape() can not tell.
bool says(std::string_view token, std::string_view text) {
  if (token.size() < 2 || token.front() != '"')
    return false;
  for (auto rest = token.substr(1, token.size() - 2); !rest.empty();) {
    bool is_escape = rest.front() == '\\';
    rest.remove_prefix(is_escape ? 1 : 0);
    auto piece = is_escape ? take_escape(rest) : std::string{};
    auto plain = is_escape ? std::string_view{piece} : rest.substr(0, rest.find('\\'));
    if (plain.empty() || !text.starts_with(plain))
      return false;
    text.remove_prefix(plain.size());
    rest.remove_prefix(is_escape ? 0 : plain.size());
  }
  return text.empty();
}

/// Most are recognised without being parsed, which takes ten times as long.
bool spells(std::string_view token, const json::value& value) {
  if (auto* string = value.if_string(); string && says(token, *string))
    return true;
  double number = 0;
  bool is_fraction = value.is_double() && token.find_first_of(".eE") != token.npos;
  if (is_fraction
      && std::from_chars(token.data(), token.data() + token.size(), number).ptr == token.data() + token.size()
      && number == value.get_double() && number != 0)
    return true;
  json::value parsed;
  return token == to_text(value) || (parse_json(token, json_dialect::strict, parsed).what.empty() && parsed == value);
}

bool spells_name(std::string_view token, std::string_view name) {
  return says(token, name) || (token.find('\\') != token.npos && spells(token, json::value(name)));
}

std::optional<std::string> name_of(std::string_view token) {
  json::value parsed;
  bool is_name = parse_json(token, json_dialect::strict, parsed).what.empty() && parsed.is_string();
  return is_name ? std::optional{std::string{parsed.get_string()}} : std::nullopt;
}

void append(std::string& to, const json::value& value, spelled_text& like);

void append_array(std::string& to, const json::array& array, spelled_text& like) {
  to += '[';
  for (auto& element : array) {
    if (&element != array.data())
      to += ',';
    if (like.next() != ']' && like.next() != '\0')
      append(to, element, like);
    else
      to += to_text(element);
    like.take(',');
  }
  to += ']';
  while (like.next() != ']' && like.next() != '\0') {
    like.take_value();
    like.take(',');
  }
  like.take(']');
}

/// Members are read as they are written, and those that come before what is wanted are kept for later: of a text that
/// the object was parsed from, in whose order it has them, nothing is read twice.
class object_writer {
public:
  /// `like` is behind the first brace.
  object_writer(std::string& to, spelled_text& like) : to_(to), like_(like) {}

  void write(std::string_view name, const json::value& value) {
    to_ += is_first_ ? '{' : ',';
    is_first_ = false;
    auto passed = passed_.find(std::string{name});
    if (passed != passed_.end())
      return write_member(passed->second.name, value, spelled_text{passed->second.value});
    if (auto token = find(name); !token.empty()) {
      to_ += token;
      to_ += ':';
      append(to_, value, like_);
    } else {
      write_member(to_text(json::value(name)), value, spelled_text{{}});
    }
  }
  void end() {
    to_ += is_first_ ? "{}" : "}";
    while (!next_name().empty())
      like_.take_value();
    like_.take('}');
  }

private:
  struct spelled_member {
    std::string_view name, value; ///< both as they are spelled
  };

  void write_member(std::string_view name, const json::value& value, spelled_text like) {
    to_ += name;
    to_ += ':';
    append(to_, value, like);
  }
  /// With its colon; empty: there are no more members.
  std::string_view next_name() {
    like_.take(',');
    auto token = like_.next() == '"' ? like_.take_scalar() : std::string_view{};
    like_.take(':');
    return token;
  }
  /// Of the members that are left, as it is spelled; its value is next. Empty: there is none.
  std::string_view find(std::string_view name) {
    for (;;) {
      auto token = next_name();
      if (token.empty() || spells_name(token, name))
        return token;
      auto value = like_.take_value();
      if (auto other = name_of(token))
        passed_.insert_or_assign(std::move(*other), spelled_member{token, value});
    }
  }

  std::string& to_;
  spelled_text& like_;
  std::unordered_map<std::string, spelled_member> passed_;
  bool is_first_ = true;
};

/// `like` is behind its value afterwards, whatever that was.
void append(std::string& to, const json::value& value, spelled_text& like) {
  auto start = like.next();
  if (value.is_array() && like.take('['))
    return append_array(to, value.get_array(), like);
  if (value.is_object() && like.take('{')) {
    object_writer object{to, like};
    for (auto& [name, member] : value.get_object())
      object.write(name, member);
    return object.end();
  }
  auto token = start == '[' || start == '{' ? like.take_value() : like.take_scalar();
  if (!value.is_structured() && !token.empty() && spells(token, value))
    to += token;
  else
    to += to_text(value);
}

} // namespace

std::string_view json_member(std::string_view object, std::string_view name) {
  spelled_text from{object};
  std::string_view found;
  if (!from.take('{'))
    return found;
  for (; from.next() == '"'; from.take(',')) {
    bool is_it = spells_name(from.take_scalar(), name);
    from.take(':');
    auto value = from.take_value();
    found = is_it ? value : found;
  }
  return found;
}

void append_spelled(std::string& to, const json::value& value, std::string_view like) {
  spelled_text from{like};
  append(to, value, from);
}

void append_spelled(std::string& to, std::span<const listed_member> members, std::string_view like) {
  spelled_text from{like};
  from.take('{');
  object_writer object{to, from};
  for (auto& each : members)
    object.write(each.name, *each.value);
  object.end();
}

} // namespace text
