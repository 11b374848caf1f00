// SHA-256 of what is told apart by its content.
#pragma once

#include <nettle/sha2.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace text {

/// Of a row of texts and numbers: each is told from its neighbours, so `ab`, `c` and `a`, `bc` differ.
class digest {
public:
  digest() { nettle_sha256_init(&state_); }
  digest& add(std::string_view text);
  digest& add(uint64_t number);
  /// 64 hexadecimal digits; begins anew.
  std::string hex();

private:
  sha256_ctx state_;
};

/// Of exactly these bytes, as `sha256sum` tells it: 64 hexadecimal digits.
std::string sha256_of(std::string_view bytes);

/// The same of bytes that come in pieces.
class stream_digest {
public:
  stream_digest() { nettle_sha256_init(&state_); }
  stream_digest& add(std::string_view bytes);
  /// Begins anew.
  std::string hex();

private:
  sha256_ctx state_;
};

} // namespace text
