// date, time, date-time and duration: RFC 3339, with its appendix A.
#include "formats.hpp"

#include <cstddef>
#include <optional>

namespace json_schema {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Exactly so many digits from the front.
std::optional<int> take_number(std::string_view& rest, size_t digits) {
  int out = 0;
  if (rest.size() < digits)
    return {};
  for (size_t i = 0; i < digits; ++i) {
    if (!is_digit(rest[i]))
      return {};
    out = out * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(digits);
  return out;
}

bool take(std::string_view& rest, char c) {
  if (!rest.starts_with(c))
    return false;
  rest.remove_prefix(1);
  return true;
}

int days_of(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/// Minutes from UTC; the sign of `08:00-01:00` is that of the text.
std::optional<int> take_offset(std::string_view& rest) {
  if (take(rest, 'Z') || take(rest, 'z'))
    return 0;
  bool behind = rest.starts_with('-');
  if (!take(rest, '-') && !take(rest, '+'))
    return {};
  auto hours = take_number(rest, 2);
  if (!hours || !take(rest, ':'))
    return {};
  auto minutes = take_number(rest, 2);
  if (!minutes || *hours > 23 || *minutes > 59)
    return {};
  return (behind ? -1 : 1) * (*hours * 60 + *minutes);
}

bool take_fraction(std::string_view& rest) {
  if (!take(rest, '.'))
    return true;
  size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits]))
    ++digits;
  rest.remove_prefix(digits);
  return digits > 0;
}

/// Units in their order, each after a number; each but the first used needs the one before it ("P1Y2D" lacks months).
bool take_units(std::string_view& rest, std::string_view units) {
  size_t next = 0;
  bool any = false;
  while (!rest.empty() && rest.front() != 'T') {
    size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits]))
      ++digits;
    auto unit = digits == 0 || digits == rest.size() ? units.npos : units.find(rest[digits], next);
    if (unit == units.npos || (any && unit != next))
      return false;
    rest.remove_prefix(digits + 1);
    next = unit + 1;
    any = true;
  }
  return any;
}

} // namespace

bool is_date(std::string_view text) {
  auto year = take_number(text, 4);
  if (!year || !take(text, '-'))
    return false;
  auto month = take_number(text, 2);
  if (!month || !take(text, '-') || *month < 1 || *month > 12)
    return false;
  auto day = take_number(text, 2);
  return day && text.empty() && *day >= 1 && *day <= days_of(*year, *month);
}

bool is_time(std::string_view text) {
  auto hour = take_number(text, 2);
  if (!hour || !take(text, ':'))
    return false;
  auto minute = take_number(text, 2);
  if (!minute || !take(text, ':'))
    return false;
  auto second = take_number(text, 2);
  if (!second || !take_fraction(text))
    return false;
  auto offset = take_offset(text);
  if (!offset || !text.empty() || *hour > 23 || *minute > 59 || *second > 60)
    return false;
  constexpr int day = 24 * 60; // leap seconds are the last of a day, in UTC
  return *second < 60 || (*hour * 60 + *minute - *offset + 2 * day) % day == day - 1;
}

bool is_date_time(std::string_view text) {
  constexpr size_t date_size = 10;
  return text.size() > date_size && (text[date_size] == 'T' || text[date_size] == 't')
         && is_date(text.substr(0, date_size)) && is_time(text.substr(date_size + 1));
}

bool is_duration(std::string_view text) {
  if (!take(text, 'P') || text.empty())
    return false;
  if (auto rest = text; take_units(rest, "W") && rest.empty())
    return true;
  if (!text.starts_with('T') && !take_units(text, "YMD"))
    return false;
  return text.empty() || (take(text, 'T') && take_units(text, "HMS") && text.empty());
}

} // namespace json_schema
