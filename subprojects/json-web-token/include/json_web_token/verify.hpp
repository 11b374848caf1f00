// Access tokens that are JSON Web Tokens (RFC 7519), signed by an issuer whose keys are known (RFC 7517, 9068): whether
// one counts for us, and whose it is. The cryptography is libcjose's, which is loaded when it is first needed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace json_web_token {

/// A longer one is refused before it is looked at. Heads of HTTP requests are not longer.
inline constexpr size_t token_bytes_max = 32u << 10;
/// Of a set of keys, and its text. Issuers have two to ten.
inline constexpr size_t keys_max = 100;
inline constexpr size_t key_set_bytes_max = 512u << 10;
/// That a token is held against: those that have the name which it says, or where one of them has none. It is what a
/// token that anybody made up may cost: about 4 ms with the largest keys.
inline constexpr size_t keys_tried_max = 16;
/// Clocks of different machines differ by so much.
inline constexpr std::chrono::seconds clock_leeway{30};

class key; ///< see verify.cpp

/// The keys of an issuer. Those that we can not use (another kind, another use, too short, too long) are left out.
class key_set {
public:
  /// `problem`: why there is no usable key; empty: there is one.
  static key_set parse(std::string_view jwks, std::string& problem);
  size_t size() const { return keys_.size(); }
  /// So many of the set are no keys that we use, or more than `keys_max`.
  size_t left_out() const { return left_out_; }

  const std::vector<std::shared_ptr<const key>>& keys() const { return keys_; }

private:
  std::vector<std::shared_ptr<const key>> keys_;
  size_t left_out_ = 0;
};

struct rules {
  std::string issuer;   ///< `iss` is exactly that
  std::string audience; ///< `aud` is that, or has it
};

enum class verdict : uint8_t {
  valid,
  unknown_key, ///< it may be signed by a key that the issuer has got since its keys were read
  refused,
  unavailable ///< the library is not there
};

struct verified {
  verdict what = verdict::refused;
  std::string why;       ///< it does not count: a sentence without a full stop, without anything of the token
  std::string subject;   ///< `sub`
  int64_t expires_s = 0; ///< until when it counts, since 1970: `exp`, and clock_leeway
};

/// Whether it has the form of one: three parts.
bool is_token(std::string_view text);
/// Signatures by RSA (2,048 to 4,096 bits) and by elliptic curves only; `alg` has to fit the key.
verified verify(std::string_view token, const key_set& keys, const rules& wanted,
                std::chrono::system_clock::time_point now);
/// Why no token can be verified on this machine; empty: they can.
std::string problem_of_library();

} // namespace json_web_token
