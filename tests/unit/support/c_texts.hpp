// Texts for the kernel, to be compared with strings and shown.
#pragma once

#include "process/c_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace test {

inline std::vector<std::string> strings_of(const process::c_texts& texts) {
  std::vector<std::string> out;
  std::transform(texts.begin(), texts.end(), std::back_inserter(out), [](auto& t) { return t.text(); });
  return out;
}

} // namespace test
