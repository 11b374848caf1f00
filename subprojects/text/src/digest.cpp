#include "text/digest.hpp"

#include <array>

namespace text {

namespace {

std::string finish(sha256_ctx& state) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<uint8_t, SHA256_DIGEST_SIZE> bytes;
  nettle_sha256_digest(&state, bytes.size(), bytes.data());
  std::string out;
  out.reserve(2 * bytes.size());
  for (auto b : bytes) {
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

} // namespace

digest& digest::add(std::string_view text) {
  add(uint64_t{text.size()});
  nettle_sha256_update(&state_, text.size(), reinterpret_cast<const uint8_t*>(text.data()));
  return *this;
}

digest& digest::add(uint64_t number) {
  std::array<uint8_t, sizeof number> bytes;
  for (auto& b : bytes) {
    b = static_cast<uint8_t>(number);
    number >>= 8U;
  }
  nettle_sha256_update(&state_, bytes.size(), bytes.data());
  return *this;
}

std::string digest::hex() { return finish(state_); }

stream_digest& stream_digest::add(std::string_view bytes) {
  nettle_sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  return *this;
}

std::string stream_digest::hex() { return finish(state_); }

std::string sha256_of(std::string_view bytes) { return stream_digest{}.add(bytes).hex(); }

} // namespace text
