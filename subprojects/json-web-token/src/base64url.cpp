#include "base64url.hpp"

#include <nettle/base64.h>

namespace json_web_token {

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.find('=') != text.npos)
    return std::nullopt;
  std::string padded{text};
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::string out(BASE64_DECODE_LENGTH(padded.size()), '\0');
  base64_decode_ctx context;
  nettle_base64url_decode_init(&context);
  auto length = out.size();
  bool is_right =
    nettle_base64_decode_update(&context, &length, reinterpret_cast<uint8_t*>(out.data()), padded.size(), padded.data())
    && nettle_base64_decode_final(&context);
  if (!is_right)
    return std::nullopt;
  out.resize(length);
  return out;
}

} // namespace json_web_token
