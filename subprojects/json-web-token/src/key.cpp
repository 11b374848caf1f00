#include "key.hpp"

#include "base64url.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace json_web_token {

namespace json = boost::json;

namespace {

constexpr size_t rsa_bytes_min = 256; // 2,048 bits: NIST SP 800-131A
/// 4,096 bits: what a verification takes grows with the square, and with the length of the exponent, which is 3 bytes.
constexpr size_t rsa_bytes_max = 512;
constexpr size_t exponent_bytes_max = 4;
constexpr std::array<std::string_view, 6> rsa_algorithms{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"};
constexpr std::array<std::string_view, 3> ec_algorithms{"ES256", "ES384", "ES512"};

template <class List>
bool is_among(const List& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Without leading zeros. 0: it is no number.
size_t bytes_in(const json::object& jwk, std::string_view name) {
  auto number = decode_base64url(text_in(jwk, name));
  auto first = number ? number->find_first_not_of('\0') : std::string::npos;
  return first == std::string::npos ? 0 : number->size() - first;
}

bool is_of_right_size(const json::object& jwk) {
  auto modulus = bytes_in(jwk, "n");
  return modulus >= rsa_bytes_min && modulus <= rsa_bytes_max && bytes_in(jwk, "e") <= exponent_bytes_max;
}

/// Nothing but what is public: who publishes a private key has lost it, and we do not need it.
json::object public_part(const json::object& jwk, std::string_view kind) {
  json::object out{{"kty", kind}};
  static constexpr std::array<std::string_view, 2> of_rsa{"n", "e"};
  static constexpr std::array<std::string_view, 3> of_ec{"crv", "x", "y"};
  auto take = [&](auto& names) {
    for (auto name : names)
      out[name] = text_in(jwk, name);
  };
  if (kind == "RSA")
    take(of_rsa);
  else
    take(of_ec);
  return out;
}

} // namespace

std::string text_in(const json::object& from, std::string_view name) {
  auto* found = from.if_contains(name);
  return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

std::shared_ptr<const key> key::of(const json::object& jwk) {
  auto& cjose = load_cjose();
  auto kind = text_in(jwk, "kty");
  auto use = text_in(jwk, "use");
  bool is_ours = (kind == "RSA" && is_of_right_size(jwk)) || kind == "EC";
  if (!cjose.problem.empty() || !is_ours || (!use.empty() && use != "sig"))
    return nullptr;
  auto text = json::serialize(public_part(jwk, kind));
  cjose_err ignored{};
  auto* raw = cjose.jwk_import(text.data(), text.size(), &ignored);
  if (!raw)
    return nullptr;
  return std::shared_ptr<const key>{new key{text_in(jwk, "kid"), kind, text_in(jwk, "alg"), raw}};
}

key::~key() { load_cjose().jwk_release(raw_); }

bool key::fits(std::string_view algorithm) const {
  bool is_of_kind = kind_ == "RSA" ? is_among(rsa_algorithms, algorithm) : is_among(ec_algorithms, algorithm);
  return is_of_kind && (algorithm_.empty() || algorithm_ == algorithm);
}

} // namespace json_web_token
