// What a fuzz target needs of its input: pieces, and a way to fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Up to the next `separator`; takes it off the front of `rest`.
inline std::string_view piece(std::string_view& rest, char separator) {
  auto end = rest.find(separator);
  auto out = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return out;
}

inline void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fputs(what, stderr);
  std::fputc('\n', stderr);
  std::abort();
}

} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
