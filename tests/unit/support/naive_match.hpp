// What `*` means, the slow way: matchers are held against it.
#pragma once

#include <string_view>

namespace test {

inline bool naive_match(std::string_view pattern, std::string_view name) {
  if (pattern.empty())
    return name.empty();
  if (pattern[0] == '*')
    return naive_match(pattern.substr(1), name) || (!name.empty() && naive_match(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && naive_match(pattern.substr(1), name.substr(1));
}

} // namespace test
