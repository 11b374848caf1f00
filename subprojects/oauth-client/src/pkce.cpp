#include "oauth_client/pkce.hpp"

#include "base64.hpp"

#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sys/random.h>

namespace oauth {

namespace {

template <size_t N>
std::string_view view_of(const std::array<uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

std::string random_text() {
  std::array<uint8_t, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return {};
  return base64url_of(view_of(random));
}

std::string s256_of(std::string_view verifier) {
  sha256_ctx state;
  nettle_sha256_init(&state);
  nettle_sha256_update(&state, verifier.size(), reinterpret_cast<const uint8_t*>(verifier.data()));
  std::array<uint8_t, SHA256_DIGEST_SIZE> bytes{};
  nettle_sha256_digest(&state, bytes.size(), bytes.data());
  return base64url_of(view_of(bytes));
}

bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() && !a.empty() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

} // namespace oauth
