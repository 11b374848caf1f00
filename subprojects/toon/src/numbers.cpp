#include "numbers.hpp"

namespace toon {

namespace {

/// Takes the digits off the front; gives how many there were.
size_t take_digits(std::string_view& rest) {
  size_t count = 0;
  while (count < rest.size() && rest[count] >= '0' && rest[count] <= '9')
    ++count;
  rest.remove_prefix(count);
  return count;
}

bool take_any(std::string_view& rest, std::string_view chars) {
  bool is_there = !rest.empty() && chars.find(rest.front()) != chars.npos;
  rest.remove_prefix(is_there ? 1 : 0);
  return is_there;
}

/// After the sign.
bool is_unsigned_number(std::string_view rest) {
  if (take_digits(rest) == 0)
    return false;
  if (take_any(rest, ".") && take_digits(rest) == 0)
    return false;
  if (take_any(rest, "eE")) {
    take_any(rest, "+-");
    if (take_digits(rest) == 0)
      return false;
  }
  return rest.empty();
}

} // namespace

bool is_number(std::string_view token) {
  take_any(token, "-");
  bool has_zero_in_front = token.size() > 1 && token[0] == '0' && token[1] >= '0' && token[1] <= '9';
  return !has_zero_in_front && is_unsigned_number(token);
}

bool is_number_like(std::string_view token) {
  take_any(token, "+-");
  return is_unsigned_number(token);
}

} // namespace toon
