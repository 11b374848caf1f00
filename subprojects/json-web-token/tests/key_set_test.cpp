// Which keys of an issuer are taken.
#include "issuer.hpp"

#include <gtest/gtest.h>

namespace json_web_token_test {

using json_web_token::key_set;

namespace {

size_t usable(const std::string& text) {
  std::string problem;
  auto keys = key_set::parse(text, problem);
  EXPECT_EQ(problem.empty(), keys.size() > 0) << problem;
  return keys.size();
}

json::object with(json::object key, std::string_view name, std::string_view value) {
  key[name] = value;
  return key;
}

} // namespace

TEST(key_set, has_the_keys_for_signatures) {
  auto rsa = test_key::rsa("a").published();
  auto curve = test_key::curve("b").published();
  EXPECT_EQ(usable(jwks_of({rsa, curve})), 2u);
  EXPECT_EQ(usable(jwks_of({with(rsa, "use", "enc"), curve})), 1u);
  EXPECT_EQ(usable(jwks_of({with(rsa, "use", "sig")})), 1u);
}

TEST(key_set, leaves_out_what_is_too_short_or_of_another_kind) {
  EXPECT_EQ(usable(jwks_of({test_key::rsa("short", 1'024).published()})), 0u);
  EXPECT_EQ(usable(R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})"), 0u) << "a secret that both know is no signature";
  EXPECT_EQ(usable(R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}, 3, null, {"kty":"EC","crv":"P-256"}]})"), 0u);
}

TEST(key_set, leaves_out_what_takes_long_to_verify_with) {
  auto key = test_key::rsa("a").published();
  auto of_bytes = [](size_t bytes) { // base64url of 3 n bytes
    return "_" + std::string(bytes / 3 * 4 - 1, 'A');
  };
  EXPECT_EQ(usable(jwks_of({with(key, "n", of_bytes(510))})), 1u);
  EXPECT_EQ(usable(jwks_of({with(key, "n", of_bytes(513))})), 0u);
  EXPECT_EQ(usable(jwks_of({with(key, "e", of_bytes(3))})), 1u);
  EXPECT_EQ(usable(jwks_of({with(key, "e", of_bytes(6))})), 0u);
  std::string problem;
  auto keys = key_set::parse(jwks_of({key, with(key, "n", of_bytes(2'049))}), problem);
  EXPECT_EQ(keys.left_out(), 1u);
}

TEST(key_set, says_why_there_is_none) {
  for (auto* text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})", "<html>"}) {
    std::string problem;
    EXPECT_EQ(key_set::parse(text, problem).size(), 0u);
    EXPECT_NE(problem, "") << text;
  }
  EXPECT_EQ(usable(std::string(json_web_token::key_set_bytes_max + 1, ' ')), 0u);
}

TEST(key_set, is_bounded) {
  auto curve = test_key::curve("b").published();
  EXPECT_EQ(usable(jwks_of(std::vector<json::object>(150, curve))), json_web_token::keys_max);
}

} // namespace json_web_token_test
