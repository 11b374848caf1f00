#include "proxy/artifacts/handle.hpp"

#include "text/digest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <string>
#include <sys/random.h>
#include <utility>

namespace artifacts {

namespace {

constexpr std::string_view prefix = "out_";
constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz234567"; // base 32 of RFC 4648, lower case
constexpr size_t digits_count = 10;
/// One in 33 million owners has the same ones as another, and still would have to know the random ones.
constexpr size_t owner_digits_count = 5;

std::string owner_digits(std::string_view owner) {
  std::string out;
  if (owner.empty())
    return out;
  auto digest = text::sha256_of(owner);
  for (size_t i = 0; i < owner_digits_count; ++i)
    out += digits[std::stoul(digest.substr(2 * i, 2), nullptr, 16) % digits.size()];
  return out;
}

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

std::string owned(std::string handle, std::string_view owner) { return std::move(handle) + owner_digits(owner); }

std::string_view owner_of(std::string_view handle) {
  return handle.substr(std::min(handle.size(), prefix.size() + digits_count));
}

bool is_handle_of(std::string_view handle, std::string_view owner) {
  return is_handle(handle) && owner_of(handle) == owner_digits(owner);
}

bool is_handle(std::string_view text) {
  constexpr auto head = prefix.size() + digits_count;
  return text.starts_with(prefix) && (text.size() == head || text.size() == head + owner_digits_count)
         && std::all_of(text.begin() + prefix.size(), text.end(), [](char c) { return digits.find(c) != digits.npos; });
}

} // namespace artifacts
