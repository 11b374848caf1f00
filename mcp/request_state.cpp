#include "mcp/request_state.hpp"

#include <nettle/base64.h>
#include <nettle/gcm.h>
#include <nettle/memops.h>

#include <algorithm>
#include <sys/random.h>

namespace mcp {

namespace {

constexpr size_t number_bytes = 8, round_bytes = 4, until_bytes = 8;
constexpr size_t plain_bytes = number_bytes + round_bytes + until_bytes;
constexpr size_t sealed_bytes = GCM_IV_SIZE + plain_bytes + GCM_DIGEST_SIZE;
using plain_state = std::array<uint8_t, plain_bytes>;
using sealed_state = std::array<uint8_t, sealed_bytes>; // nonce, sealed state, tag
static_assert(sealed_bytes % 3 == 0, "base64 of it has no padding");
static_assert(BASE64_ENCODE_RAW_LENGTH(sealed_bytes) == request_state_seal::text_chars);

template <size_t N>
bool fill_randomly(std::array<uint8_t, N>& bytes) {
  return ::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

uint8_t* put_number(uint8_t* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    *to++ = static_cast<uint8_t>(value >> (8 * i));
  return to;
}

uint64_t taken_number(const uint8_t*& from, size_t bytes) {
  uint64_t out = 0;
  for (size_t i = 0; i < bytes; ++i)
    out |= uint64_t{*from++} << (8 * i);
  return out;
}

template <size_t N>
void count_up(std::array<uint8_t, N>& number) {
  for (auto& byte : number)
    if (++byte != 0)
      return;
}

std::string coded_state(const sealed_state& sealed) {
  std::string out(request_state_seal::text_chars, '\0');
  base64_encode_ctx context;
  nettle_base64url_encode_init(&context);
  nettle_base64_encode_update(&context, out.data(), sealed.size(), sealed.data());
  return out;
}

std::optional<sealed_state> decoded_state(std::string_view text) {
  std::array<uint8_t, BASE64_DECODE_LENGTH(request_state_seal::text_chars)> bytes{};
  sealed_state out{};
  base64_decode_ctx context;
  nettle_base64url_decode_init(&context);
  auto length = bytes.size();
  if (!nettle_base64_decode_update(&context, &length, bytes.data(), text.size(), text.data()) || length != out.size())
    return std::nullopt;
  std::copy_n(bytes.begin(), out.size(), out.begin());
  return out;
}

} // namespace

request_state_seal::request_state_seal() : is_usable_(fill_randomly(key_) && fill_randomly(nonce_)) {}

std::string request_state_seal::seal(const request_state& state) {
  plain_state plain{};
  auto* to = put_number(plain.data(), state.number, number_bytes);
  to = put_number(to, state.round, round_bytes);
  put_number(to, static_cast<uint64_t>(state.until.time_since_epoch().count()), until_bytes);
  sealed_state sealed{};
  std::copy(nonce_.begin(), nonce_.end(), sealed.begin());
  gcm_aes256_ctx context;
  gcm_aes256_set_key(&context, key_.data());
  gcm_aes256_set_iv(&context, nonce_.size(), nonce_.data());
  gcm_aes256_encrypt(&context, plain.size(), &sealed[GCM_IV_SIZE], plain.data());
  gcm_aes256_digest(&context, GCM_DIGEST_SIZE, &sealed[GCM_IV_SIZE + plain_bytes]);
  count_up(nonce_);
  return coded_state(sealed);
}

std::optional<request_state> request_state_seal::open(std::string_view text) const {
  if (!is_usable_ || text.size() != text_chars) // also of one that is very long: it is not looked at
    return std::nullopt;
  auto sealed = decoded_state(text);
  if (!sealed)
    return std::nullopt;
  plain_state plain{};
  std::array<uint8_t, GCM_DIGEST_SIZE> tag{};
  gcm_aes256_ctx context;
  gcm_aes256_set_key(&context, key_.data());
  gcm_aes256_set_iv(&context, GCM_IV_SIZE, sealed->data());
  gcm_aes256_decrypt(&context, plain.size(), plain.data(), &(*sealed)[GCM_IV_SIZE]);
  gcm_aes256_digest(&context, tag.size(), tag.data());
  if (memeql_sec(tag.data(), &(*sealed)[GCM_IV_SIZE + plain_bytes], tag.size()) == 0)
    return std::nullopt;
  const uint8_t* from = plain.data();
  request_state out;
  out.number = taken_number(from, number_bytes);
  out.round = static_cast<uint32_t>(taken_number(from, round_bytes));
  out.until = std::chrono::steady_clock::time_point{
    std::chrono::steady_clock::duration{static_cast<int64_t>(taken_number(from, until_bytes))}};
  return out;
}

} // namespace mcp
