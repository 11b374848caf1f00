#include "base64.hpp"

#include <nettle/base64.h>

#include <cstdint>

namespace oauth {

std::string base64_of(std::string_view bytes) {
  std::string out(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  nettle_base64_encode_raw(out.data(), bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  return out;
}

std::string base64url_of(std::string_view bytes) {
  auto out = base64_of(bytes);
  out.resize(out.find_last_not_of('=') + 1);
  for (auto& c : out)
    c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

} // namespace oauth
