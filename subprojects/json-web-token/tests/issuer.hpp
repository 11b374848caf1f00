// An issuer of tokens, with a key of each kind.
#pragma once

#include "json_web_token/verify.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cjose/cjose.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace json_web_token_test {

namespace json = boost::json;

struct test_key {
  std::string id;
  std::shared_ptr<cjose_jwk_t> raw;

  static test_key rsa(std::string id, size_t bits = 2'048) {
    const uint8_t exponent[] = {1, 0, 1};
    cjose_err ignored{};
    return {std::move(id), {cjose_jwk_create_RSA_random(bits, exponent, sizeof exponent, &ignored), cjose_jwk_release}};
  }
  static test_key curve(std::string id) {
    cjose_err ignored{};
    return {std::move(id), {cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &ignored), cjose_jwk_release}};
  }
  /// As an issuer publishes it.
  json::object published() const {
    cjose_err ignored{};
    auto* text = cjose_jwk_to_json(raw.get(), false, &ignored);
    auto out = json::parse(text).as_object();
    std::free(text);
    out["kid"] = id;
    return out;
  }
  std::string sign(const json::object& claims, const std::string& algorithm, std::string_view named) const {
    cjose_err ignored{};
    auto* head = cjose_header_new(&ignored);
    cjose_header_set(head, "alg", algorithm.c_str(), &ignored);
    if (!named.empty())
      cjose_header_set(head, "kid", std::string{named}.c_str(), &ignored);
    auto text = json::serialize(claims);
    auto* jws = cjose_jws_sign(raw.get(), head, reinterpret_cast<const uint8_t*>(text.data()), text.size(), &ignored);
    const char* out = nullptr;
    cjose_jws_export(jws, &out, &ignored);
    std::string token{out};
    cjose_jws_release(jws);
    cjose_header_release(head);
    return token;
  }
};

inline std::string jwks_of(const std::vector<json::object>& keys) {
  json::array list;
  for (auto& each : keys)
    list.push_back(each);
  return json::serialize(json::object{{"keys", std::move(list)}});
}

} // namespace json_web_token_test
