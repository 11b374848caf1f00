#include "numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

namespace json_schema {

namespace {

using boost::json::value;
__extension__ using wide = unsigned __int128;

constexpr double two_63 = 9'223'372'036'854'775'808.0;
constexpr double two_64 = 18'446'744'073'709'551'616.0;

std::partial_ordering reversed(std::partial_ordering o) {
  return std::is_lt(o) ? std::partial_ordering::greater : std::is_gt(o) ? std::partial_ordering::less : o;
}

template <class Integer>
std::partial_ordering compare_exactly(Integer a, double b, double least, double beyond) {
  if (std::isnan(b))
    return std::partial_ordering::unordered;
  if (b >= beyond)
    return std::partial_ordering::less;
  if (b < least)
    return std::partial_ordering::greater;
  auto whole = std::trunc(b);
  auto by_whole = a <=> static_cast<Integer>(whole);
  return std::is_neq(by_whole) ? std::partial_ordering{by_whole} : 0.0 <=> (b - whole);
}

std::partial_ordering compare_with_double(const value& a, double b) {
  if (auto* i = a.if_int64())
    return compare_exactly<int64_t>(*i, b, -two_63, two_63);
  if (auto* u = a.if_uint64())
    return compare_exactly<uint64_t>(*u, b, 0.0, two_64);
  return a.get_double() <=> b;
}

/// mantissa * 10^exponent, without its sign; the mantissa has no zero at its end.
struct decimal {
  uint64_t mantissa = 0;
  int exponent = 0;
};

decimal without_zeros(decimal d) {
  for (; d.mantissa != 0 && d.mantissa % 10 == 0; d.mantissa /= 10)
    ++d.exponent;
  return d;
}

/// The shortest decimal of a double has 17 digits at most.
decimal decimal_of(double number) {
  char text[40];
  auto end = std::to_chars(text, text + sizeof text, std::abs(number), std::chars_format::scientific).ptr;
  decimal out;
  bool fraction = false;
  auto* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    out.mantissa = out.mantissa * 10 + static_cast<uint64_t>(*at - '0');
    out.exponent -= fraction ? 1 : 0;
  }
  int exponent = 0;
  auto* digits = at + (at + 1 < end && at[1] == '+' ? 2 : 1);
  std::from_chars(digits, end, exponent);
  out.exponent += exponent;
  return without_zeros(out);
}

std::optional<decimal> decimal_of(const value& number) {
  if (auto* i = number.if_int64())
    return without_zeros({*i < 0 ? 0 - static_cast<uint64_t>(*i) : static_cast<uint64_t>(*i), 0});
  if (auto* u = number.if_uint64())
    return without_zeros({*u, 0});
  auto d = number.get_double();
  return std::isfinite(d) ? std::optional{decimal_of(d)} : std::nullopt;
}

uint64_t power_of_ten_modulo(int exponent, uint64_t modulus) {
  wide out = 1 % modulus, base = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1)
      out = out * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<uint64_t>(out);
}

} // namespace

std::partial_ordering compare_numbers(const value& a, const value& b) {
  if (auto* d = b.if_double())
    return compare_with_double(a, *d);
  if (auto* d = a.if_double()) {
    return reversed(compare_with_double(b, *d));
  }
  if (auto* i = a.if_int64(); i && *i < 0) {
    auto* j = b.if_int64();
    return j ? std::partial_ordering{*i <=> *j} : std::partial_ordering::less;
  }
  if (auto* j = b.if_int64(); j && *j < 0)
    return std::partial_ordering::greater;
  return a.to_number<uint64_t>() <=> b.to_number<uint64_t>();
}

bool is_integer(const value& v) {
  auto* d = v.if_double();
  return d ? std::isfinite(*d) && std::trunc(*d) == *d : v.is_number();
}

bool is_multiple(const value& number, const value& divisor) {
  auto n = decimal_of(number), d = decimal_of(divisor);
  if (!n || !d || d->mantissa == 0)
    return false;
  if (n->mantissa == 0)
    return true;
  if (n->exponent >= d->exponent) {
    wide rest =
      static_cast<wide>(n->mantissa % d->mantissa) * power_of_ten_modulo(n->exponent - d->exponent, d->mantissa);
    return rest % d->mantissa == 0;
  }
  return false; // n ends in a digit that is finer than any multiple of d
}

size_t hash_number(const value& v) {
  auto* d = v.if_double();
  if (!d)
    return v.is_int64() ? std::hash<uint64_t>{}(static_cast<uint64_t>(v.get_int64()))
                        : std::hash<uint64_t>{}(v.get_uint64());
  if (std::trunc(*d) == *d && *d >= -two_63 && *d < two_64)
    return std::hash<uint64_t>{}(*d < 0 ? static_cast<uint64_t>(static_cast<int64_t>(*d)) : static_cast<uint64_t>(*d));
  return std::hash<double>{}(*d);
}

std::string number_text(const value& v) {
  char text[40];
  auto end = text;
  if (auto* i = v.if_int64())
    end = std::to_chars(text, text + sizeof text, *i).ptr;
  else if (auto* u = v.if_uint64())
    end = std::to_chars(text, text + sizeof text, *u).ptr;
  else
    end = std::to_chars(text, text + sizeof text, v.get_double()).ptr;
  return {text, end};
}

} // namespace json_schema
