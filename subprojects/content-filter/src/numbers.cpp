#include "numbers.hpp"

#include "content_filter/bytes.hpp"

#include <algorithm>
#include <initializer_list>

namespace content_filter {

namespace {

/// The first `count` digits as a number.
unsigned first_of(std::string_view digits, size_t count) {
  unsigned out = 0;
  for (auto c : digits.substr(0, count))
    out = out * 10 + static_cast<unsigned>(c - '0');
  return out;
}

bool is_between(unsigned x, unsigned first, unsigned last) { return x >= first && x <= last; }

bool is_one_of(unsigned x, std::initializer_list<unsigned> list) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

} // namespace

bool has_check_digit(std::string_view number) {
  unsigned sum = 0;
  bool is_doubled = false;
  for (auto c = number.rbegin(); c != number.rend(); ++c) {
    if (!is_of(bytes::digit, *c))
      continue;
    auto value = static_cast<unsigned>(*c - '0') * (is_doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
    is_doubled = !is_doubled;
  }
  return sum % 10 == 0;
}

bool is_of_card_brand(std::string_view digits) {
  auto two = first_of(digits, 2), three = first_of(digits, 3), four = first_of(digits, 4);
  bool is_discover = four == 6011 || two == 65 || is_between(three, 644, 649);
  bool is_mastercard = is_between(two, 51, 55) || is_between(four, 2221, 2720);
  bool is_maestro = is_one_of(four, {5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763});
  switch (digits.size()) {
    case 14: return is_between(three, 300, 305) || is_one_of(two, {36, 38, 39});
    case 15: return is_one_of(two, {34, 37});
    case 16:
      return two / 10 == 4 || is_mastercard || is_discover || is_maestro || is_between(four, 3528, 3589) || two == 62;
    case 19: return two / 10 == 4 || is_discover || is_maestro || two == 62;
    default: return false;
  }
}

bool has_calling_code(std::string_view digits) {
  if (digits.size() < 3)
    return false;
  auto one = first_of(digits, 1), two = first_of(digits, 2), three = first_of(digits, 3);
  if (one == 1 || one == 7)
    return true;
  if (is_one_of(two, {20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54,
                      55, 56, 57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98}))
    return true;
  return is_one_of(three,
                   {211, 212, 213, 216, 218, 290, 291, 297, 298, 299, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359,
                    370, 371, 372, 373, 374, 375, 376, 377, 378, 379, 380, 381, 382, 383, 385, 386, 387, 389, 420, 421,
                    423, 800, 808, 850, 852, 853, 855, 856, 870, 878, 880, 881, 882, 883, 886, 888, 960, 961, 962, 963,
                    964, 965, 966, 967, 968, 970, 971, 972, 973, 974, 975, 976, 977, 979, 992, 993, 994, 995, 996, 998})
         || is_between(three, 220, 269) || is_between(three, 500, 509) || is_between(three, 590, 599)
         || is_between(three, 670, 692);
}

} // namespace content_filter
