#include "ecma_pattern.hpp"

#include "ecma_classes.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <vector>

namespace json_schema {

namespace {

constexpr uint32_t repeats_max = 65'535; // PCRE2's
/// Of "{1,65535}", with some zeros.
constexpr size_t repetition_bytes_max = 32;

/// Groups are found first: a back reference may stand before its group.
struct groups {
  size_t count = 0;
  std::map<std::string, size_t, std::less<>> numbers;
  std::string problem;
};

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_name_char)
         && !std::isdigit(static_cast<unsigned char>(text.front()));
}

/// At an opening parenthesis.
void count_group(std::string_view rest, groups& out) {
  bool named = rest.size() > 3 && rest.starts_with("(?<") && rest[3] != '=' && rest[3] != '!';
  if (!named && rest.starts_with("(?"))
    return;
  ++out.count;
  if (!named)
    return;
  auto end = rest.find('>');
  auto name = rest.substr(3, end == rest.npos ? 0 : end - 3);
  if (!is_name(name))
    out.problem = "the name of a group is no name";
  else if (!out.numbers.emplace(name, out.count).second)
    out.problem = "two groups have the same name";
}

groups find_groups(std::string_view text) {
  groups out;
  bool in_class = false;
  for (size_t i = 0; i < text.size() && out.problem.empty(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (in_class)
      in_class = text[i] != ']';
    else if (text[i] == '[')
      in_class = true;
    else if (text[i] == '(')
      count_group(text.substr(i), out);
  }
  return out;
}

uint32_t number(std::string_view digits) {
  uint32_t out = 0;
  auto [stop, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return ec == std::errc{} ? out : repeats_max + 1;
}

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class translator {
public:
  explicit translator(std::string_view text) : from_{text}, groups_(find_groups(text)) {}

  ecma_pattern run() {
    auto size = rest().size();
    problem_ = groups_.problem;
    while (!rest().empty() && problem_.empty())
      take_one();
    if (problem_.empty() && !open_.empty())
      problem_ = "a group is not closed";
    if (problem_.empty())
      return {std::move(out_), ""};
    return {"", problem_ + " (at byte " + std::to_string(size - rest().size()) + ")"};
  }

private:
  enum class group { plain, assertion };

  std::string_view& rest() { return from_.rest; }
  void fail(std::string_view why) { problem_ = why; }
  bool take(std::string_view expected) {
    if (!rest().starts_with(expected))
      return false;
    rest().remove_prefix(expected.size());
    return true;
  }
  void emit(std::string_view text) {
    out_ += text;
    can_repeat_ = true;
  }
  void emit_unrepeatable(std::string_view text) {
    out_ += text;
    can_repeat_ = false;
  }

  void take_one() {
    switch (char c = rest().front(); c) {
      case '\\': return take_escape();
      case '[': return take_class();
      case '(': return take_group();
      case ')': return take_end_of_group();
      case '*':
      case '+':
      case '?': return take_quantifier(std::string{c}, 1);
      case '{': return take_brace();
      case '^':
      case '$':
      case '|': rest().remove_prefix(1); return emit_unrepeatable({&c, 1});
      case '.': rest().remove_prefix(1); return emit(any_but_line_ends);
      default: return take_literal();
    }
  }

  void take_literal() {
    auto c = take_character(rest());
    if (c == no_character)
      return fail("it is not UTF-8");
    emit(literal(c));
  }

  void take_quantifier(std::string_view quantifier, size_t size) {
    if (!can_repeat_)
      return fail("there is nothing to repeat");
    rest().remove_prefix(size);
    emit_unrepeatable(quantifier);
    if (take("?"))
      emit_unrepeatable("?");
  }

  /// {2}, {2,} and {2,5}; any other brace stands for itself.
  void take_brace() {
    auto end = rest().substr(0, repetition_bytes_max).find('}');
    auto inner = rest().substr(1, end == rest().npos ? 0 : end - 1);
    auto comma = std::min(inner.find(','), inner.size());
    auto first = inner.substr(0, comma), second = inner.substr(std::min(comma + 1, inner.size()));
    if (first.empty() || !is_digits(first) || !is_digits(second))
      return take_literal();
    auto from = number(first), to = second.empty() ? from : number(second);
    if (from > repeats_max || to > repeats_max)
      return fail("it repeats more than 65,535 times");
    if (to < from)
      return fail("the numbers of a repetition are out of order");
    take_quantifier("{" + std::string{inner} + "}", inner.size() + 2);
  }

  void take_group() {
    auto kind = group::plain;
    if (take("(?:")) {
      emit_unrepeatable("(?:");
    } else if (auto assertion = opened_assertion(); !assertion.empty()) {
      take(assertion);
      emit_unrepeatable(assertion);
      kind = group::assertion;
    } else if (take("(?<")) {
      rest().remove_prefix(rest().find('>') + 1); // its name was checked
      emit_unrepeatable("(");
    } else if (rest().starts_with("(?")) {
      return fail("'(?' begins no group of ECMA-262");
    } else {
      rest().remove_prefix(1);
      emit_unrepeatable("(");
    }
    open_.push_back(kind);
  }

  std::string_view opened_assertion() {
    for (std::string_view opening : {"(?=", "(?!", "(?<=", "(?<!"})
      if (rest().starts_with(opening))
        return opening;
    return {};
  }

  void take_end_of_group() {
    if (open_.empty())
      return fail("a group is closed that is not open");
    rest().remove_prefix(1);
    emit(")");
    can_repeat_ = open_.back() == group::plain;
    open_.pop_back();
  }

  void take_escape() {
    for (std::string_view assertion : {"\\b", "\\B"})
      if (take(assertion))
        return emit_unrepeatable(assertion);
    if (take("\\k<"))
      return take_named_reference();
    if (rest().size() > 1 && rest()[1] >= '1' && rest()[1] <= '9')
      return take_reference();
    emit_or_fail(from_.take(escape_reader::place::outside));
  }

  void take_class() { emit_or_fail(translate_class(from_)); }

  void emit_or_fail(const translated& found) { return found.problem.empty() ? emit(found.text) : fail(found.problem); }

  void take_reference() {
    auto digits = rest().substr(1, std::min(rest().find_first_not_of("0123456789", 1), rest().size()) - 1);
    if (number(digits) > groups_.count)
      return fail("it refers back to a group that is not there");
    rest().remove_prefix(digits.size() + 1);
    emit("\\g{" + std::string{digits} + "}");
  }

  void take_named_reference() {
    auto found = groups_.numbers.find(rest().substr(0, rest().find('>')));
    if (found == groups_.numbers.end())
      return fail("it refers back to a group that is not there");
    rest().remove_prefix(found->first.size() + 1);
    emit("\\g{" + std::to_string(found->second) + "}");
  }

  escape_reader from_;
  groups groups_;
  std::string out_, problem_;
  std::vector<group> open_;
  bool can_repeat_ = false;
};

} // namespace

ecma_pattern translate(std::string_view ecma) { return translator{ecma}.run(); }

} // namespace json_schema
