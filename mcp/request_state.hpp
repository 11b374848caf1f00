// `requestState` of a call that waits for answers of its client: sealed, for it goes through the hands of the client.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// What is sealed.
struct request_state {
  uint64_t number = 0; ///< of the request, ours
  uint32_t round = 0;  ///< how often it has been parked, with this time
  std::chrono::steady_clock::time_point until;
  bool operator==(const request_state&) const = default;
};

/// AES-256-GCM under a key that nobody else has: what another client was given, or another process gave, is not opened.
class request_state_seal {
public:
  /// Of all texts that it makes.
  static constexpr size_t text_chars = 64;

  request_state_seal();
  /// False: the kernel gives no random numbers, and nothing may be sealed.
  bool is_usable() const { return is_usable_; }
  /// base64url.
  std::string seal(const request_state& state);
  /// Nothing: it is none of ours, to the letter.
  std::optional<request_state> open(std::string_view text) const;

private:
  std::array<uint8_t, 32> key_{};
  /// Of the next one: random, and counted from there, so that none is used twice under this key.
  std::array<uint8_t, 12> nonce_{};
  bool is_usable_ = false;
};

} // namespace mcp
