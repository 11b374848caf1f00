#include "proxy/artifacts/handle.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <sys/random.h>

namespace artifacts {

namespace {

constexpr std::string_view prefix = "out_";
constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz234567"; // base 32 of RFC 4648, lower case
constexpr size_t digits_count = 10;

} // namespace

std::string new_handle() {
  std::array<uint8_t, digits_count> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return {};
  std::string out{prefix};
  for (auto byte : random)
    out += digits[byte % digits.size()];
  return out;
}

bool is_handle(std::string_view text) {
  return text.starts_with(prefix) && text.size() == prefix.size() + digits_count
         && std::all_of(text.begin() + prefix.size(), text.end(), [](char c) { return digits.find(c) != digits.npos; });
}

} // namespace artifacts
