#include "content_filter/match.hpp"
#include "numbers.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace content_filter {

namespace {

/// Signs between digits; the characters of several bytes are those that are put where lines must not break.
struct separator {
  std::string_view bytes;
  char plain;
};
constexpr separator separators[] = {{" ", ' '},
                                    {"-", '-'},
                                    {".", '.'},
                                    {"(", '('},
                                    {")", ')'},
                                    {"\xC2\xA0", ' '},
                                    {"\xE2\x80\xAF", ' '},
                                    {"\xE2\x80\x90", '-'},
                                    {"\xE2\x80\x91", '-'},
                                    {"\xE2\x80\x93", '-'}};
constexpr size_t separators_in_row_max = 2, separator_bytes_max = 3;

constexpr size_t digits_min = 7;

/// A cheap look before the others: there are digits enough, or there may be.
bool may_be_long(const place& p) {
  size_t digits = 0, row = 0;
  auto rest = p.rest().substr(0, number_bytes_max);
  for (auto c : rest) {
    bool is_digit = is_of(bytes::digit, c);
    digits += is_digit;
    row = is_digit ? 0 : row + 1;
    bool is_separator =
      c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
    if (digits >= digits_min || (!is_digit && !is_separator) || row > separator_bytes_max * separators_in_row_max + 1)
      return digits >= digits_min;
  }
  return digits >= digits_min || (!p.is_end && rest.size() < number_bytes_max);
}

/// Digits and plain separators of the number that begins at a place. It ends with a digit.
struct written {
  std::array<char, number_bytes_max> plain;
  std::array<uint8_t, number_bytes_max> ends; ///< behind each, from the place on
  size_t size = 0;
  size_t digits = 0;
  size_t first_digits = 0; ///< before the first separator
  bool is_decided = true;
  bool is_in_word = false; ///< letters follow

  std::string_view text() const { return {plain.data(), size}; }
};

/// What separates here; null: nothing does. `is_cut`: it may be the beginning of one.
const separator* separator_at(std::string_view rest, bool& is_cut) {
  for (auto& s : separators) {
    if (rest.starts_with(s.bytes))
      return &s;
    is_cut = is_cut || (rest.size() < s.bytes.size() && s.bytes.starts_with(rest));
  }
  return nullptr;
}

written read_number(const place& p) {
  written out;
  auto rest = p.rest();
  size_t at = 0, row = 0;
  auto add = [&](char c, size_t length) {
    at += length;
    out.plain[out.size] = c;
    out.ends[out.size++] = static_cast<uint8_t>(at);
  };
  if (rest[0] == '+')
    add('+', 1);
  while (at + 3 < number_bytes_max) {
    if (at == rest.size()) {
      out.is_decided = p.is_end;
      break;
    }
    if (is_of(bytes::digit, rest[at])) {
      add(rest[at], 1);
      ++out.digits;
      out.first_digits += out.digits == out.size;
      row = 0;
      continue;
    }
    bool is_cut = false;
    auto* s = separator_at(rest.substr(at), is_cut);
    if (!s && is_cut && !p.is_end)
      out.is_decided = false;
    if (!s || ++row > separators_in_row_max)
      break;
    add(s->plain, s->bytes.size());
  }
  while (out.size > 0 && !is_of(bytes::digit, out.plain[out.size - 1]))
    --out.size;
  auto behind = out.size > 0 ? out.ends[out.size - 1] : size_t{0};
  out.is_in_word = behind < rest.size() && is_of(bytes::name, rest[behind]);
  return out;
}

/// The part of the number that a pattern takes from its beginning; 0: it does not, or it would end within a longer
/// number.
size_t taken(const written& w, const re2::RE2& pattern) {
  re2::StringPiece subject{w.plain.data(), w.size}, part;
  if (!pattern.Match(subject, 0, subject.size(), re2::RE2::ANCHOR_START, &part, 1))
    return 0;
  auto size = part.size();
  if (size == w.size)
    return w.is_in_word ? 0 : size;
  bool is_joined = w.plain[size] == '-' || w.plain[size] == '.';
  return is_of(bytes::digit, w.plain[is_joined ? size + 1 : size]) ? 0 : size;
}

std::string digits_of(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return is_of(bytes::digit, c); });
  return out;
}

size_t ssn(const written& w) {
  static const re2::RE2 pattern{"[0-9]{3}-[0-9]{2}-[0-9]{4}"};
  if (w.first_digits != 3 || w.plain[3] != '-')
    return 0;
  auto size = taken(w, pattern);
  if (size == 0)
    return 0;
  auto area = w.text().substr(0, 3);
  bool is_given_out = area != "000" && area != "666" && area[0] != '9' && w.text().substr(4, 2) != "00"
                      && w.text().substr(7, 4) != "0000";
  return is_given_out ? size : 0;
}

/// Numbers of four digits in a row are a list if there are more than a card has.
bool is_in_list(const place& p, const written& w, size_t size) {
  auto is_one_more = [](auto digit) { return digit(1) && digit(2) && digit(3) && digit(4); };
  bool is_before = p.before(1) == ' ' && is_one_more([&](size_t i) { return is_of(bytes::digit, p.before(i + 1)); });
  bool is_behind = w.size > size + 4 && is_one_more([&](size_t i) { return is_of(bytes::digit, w.plain[size + i]); });
  return w.plain[4] == ' ' && (is_before || is_behind);
}

size_t card(const place& p, const written& w) {
  static const re2::RE2 usual{
    "[0-9]{14,16}|[0-9]{4}(?:-[0-9]{4}){3}|[0-9]{4}(?: [0-9]{4}){3}|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}"};
  static const re2::RE2 longer{"[0-9]{4}(?:-[0-9]{4}){3}-[0-9]{3}|[0-9]{4}(?: [0-9]{4}){3} [0-9]{3}"};
  if (w.digits < 14 || w.first_digits < 4)
    return 0;
  for (auto* pattern : {&longer, &usual}) {
    auto size = taken(w, *pattern);
    auto digits = digits_of(w.text().substr(0, size));
    if (!is_of_card_brand(digits) || !has_check_digit(digits))
      continue;
    return is_in_list(p, w, size) ? 0 : size;
  }
  return 0;
}

/// North America: areas and exchanges begin with 2 to 9, and are no service numbers such as 911.
#define NANP "[2-9](?:[02-9][0-9]|1[02-9])"

size_t international(const written& w) {
  static const re2::RE2 north_america{"\\+1[-. ]?\\(?" NANP "\\)?[-. ]?" NANP "[-. ]?[0-9]{4}"};
  static const re2::RE2 grouped{"\\+[0-9]{1,3}(?:[-. ]? ?\\(?[0-9]{1,5}\\)?){0,5}[-. ]?[0-9]{2,5}"};
  constexpr size_t digits_min = 9, digits_max = 15, solid_digits_min = 10;
  if (w.digits < digits_min || w.plain[1] == '0')
    return 0;
  if (w.plain[1] == '1')
    return taken(w, north_america);
  size_t end = 0;
  for (size_t i = 0, digits = 0; i < w.size && digits < digits_max; ++i)
    if (is_of(bytes::digit, w.plain[i])) {
      ++digits;
      end = i + 1;
    }
  if (end < w.size && is_of(bytes::digit, w.plain[end])) // the group goes on: it is not of the number
    while (end > 0 && is_of(bytes::digit, w.plain[end - 1]))
      --end;
  while (end > 0 && !is_of(bytes::digit, w.plain[end - 1]))
    --end;
  auto text = w.text().substr(0, end);
  auto digits = digits_of(text);
  bool is_solid = digits.size() + 1 == text.size();
  bool is_number = digits.size() >= (is_solid ? solid_digits_min : digits_min) && has_calling_code(digits)
                   && (is_solid || re2::RE2::FullMatch(re2::StringPiece{text.data(), text.size()}, grouped));
  return is_number && !(end == w.size && w.is_in_word) ? end : 0;
}

size_t national(const written& w) {
  static const re2::RE2 pattern{"\\(" NANP "\\) ?" NANP "[-. ][0-9]{4}|(?:1-)?" NANP "-" NANP "-[0-9]{4}|(?:1\\.)?" NANP
                                "\\." NANP "\\.[0-9]{4}|(?:1[- ])?\\(" NANP "\\) ?" NANP "[-. ][0-9]{4}|" NANP " " NANP
                                "-[0-9]{4}"};
  bool has_trunk = w.first_digits == 1 && w.plain[0] == '1' && (w.plain[2] == '(' || is_of(bytes::digit, w.plain[3]));
  bool may_fit = w.plain[0] == '(' || w.first_digits == 3 || has_trunk;
  return w.digits < 10 || !may_fit ? 0 : taken(w, pattern);
}

#undef NANP

/// Behind a word such as `phone`.
size_t announced(const place& p, const written& w) {
  static const re2::RE2 grouped{"\\(?[0-9]{1,5}\\)?(?:(?:[-. ]|\\. | - )?\\(?[0-9]{2,11}\\)?){0,6}"};
  static const re2::RE2 date{"[12][0-9]{3}([-. ])[0-9]{2}[-. ][0-9]{2}(?:[^0-9].*)?"};
  constexpr std::string_view words[] = {"phone",    "telephone",   "tel",      "mobile",       "cell",     "fax",
                                        "whatsapp", "phonenumber", "phoneno",  "mobilenumber", "telefon",  "mobil",
                                        "handy",    "callmeat",    "callusat", "callmeon",     "textmeat", "telno"};
  constexpr size_t prose_digits_min = 9, digits_max = 15;
  if (w.digits > digits_max || w.is_in_word || is_of(bytes::digit, p.before(2)))
    return 0;
  auto given = name_of(p);
  auto name = given.text();
  bool is_announced = std::any_of(std::begin(words), std::end(words), [&](auto word) { return name.ends_with(word); });
  auto text = re2::StringPiece{w.plain.data(), w.size};
  if (!is_announced || w.digits < (given.is_assigned ? digits_min : prose_digits_min)
      || re2::RE2::FullMatch(text, date))
    return 0;
  return re2::RE2::FullMatch(text, grouped) ? w.size : 0;
}

/// Numbers are parts of something else behind these: versions, paths, names, amounts.
bool may_begin(const place& p) {
  auto c = p.here(), before = p.before(1);
  if (c == '(' || c == '+')
    return (before != '+' || c == '(') && (!is_of(bytes::name, before) || is_behind_escape(p));
  return is_of(bytes::digit, c)
         && ((!is_of(bytes::dotted | bytes::slash | bytes::plus, before) && before != '$') || is_behind_escape(p));
}

} // namespace

match look_for_number(const place& p) {
  if (!may_begin(p) || !may_be_long(p))
    return seen_nothing;
  auto w = read_number(p);
  if (!w.is_decided)
    return seen_too_little;
  if (w.digits < digits_min)
    return seen_nothing;
  auto found = [&](content_class kind, size_t size) {
    return match{verdict::found, kind, p.at + w.ends[size - 1], {}};
  };
  if (p.here() == '+') {
    auto size = international(w);
    return size > 0 ? found(content_class::phone, size) : seen_nothing;
  }
  if (auto size = ssn(w); size > 0)
    return found(content_class::ssn, size);
  if (auto size = card(p, w); size > 0)
    return found(content_class::card, size);
  if (auto size = national(w); size > 0)
    return found(content_class::phone, size);
  if (auto size = announced(p, w); size > 0)
    return found(content_class::phone, size);
  return seen_nothing;
}

} // namespace content_filter
