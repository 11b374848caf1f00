// Which tokens count.
#include "issuer.hpp"

#include <gtest/gtest.h>

namespace json_web_token_test {

using namespace std::literals;
using json_web_token::key_set;
using json_web_token::verdict;

class verify : public testing::Test {
protected:
  static constexpr int64_t now_s = 1'800'000'000;

  static json::object claims() {
    return {{"iss", "https://issuer"}, {"aud", "https://us/mcp"}, {"sub", "ann"}, {"exp", now_s + 60}};
  }
  json_web_token::verified look(const std::string& token) const {
    auto now = std::chrono::system_clock::time_point{std::chrono::seconds{now_s}};
    return json_web_token::verify(token, keys_, {"https://issuer", "https://us/mcp"}, now);
  }
  json_web_token::verified with(std::string_view name, json::value value) const {
    auto changed = claims();
    changed[name] = std::move(value);
    return look(rsa_.sign(changed, "RS256", "r"));
  }
  json_web_token::verified without(std::string_view name) const {
    auto changed = claims();
    changed.erase(name);
    return look(rsa_.sign(changed, "RS256", "r"));
  }
  static key_set parsed(const std::string& jwks) {
    std::string problem;
    return key_set::parse(jwks, problem);
  }

  static inline const test_key rsa_ = test_key::rsa("r");
  static inline const test_key curve_ = test_key::curve("e");
  key_set keys_ = parsed(jwks_of({rsa_.published(), curve_.published()}));
};

TEST_F(verify, takes_what_the_issuer_has_signed_for_us) {
  for (auto* algorithm : {"RS256", "RS512", "PS256"}) {
    auto good = look(rsa_.sign(claims(), algorithm, "r"));
    EXPECT_EQ(good.what, verdict::valid) << algorithm << good.why;
    EXPECT_EQ(good.subject, "ann");
    EXPECT_EQ(good.expires_s, now_s + 60 + json_web_token::clock_leeway.count());
  }
  EXPECT_EQ(look(curve_.sign(claims(), "ES256", "e")).what, verdict::valid);
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "")).what, verdict::valid) << "without the name of its key";
}

TEST_F(verify, wants_our_issuer_and_audience) {
  EXPECT_EQ(with("iss", "https://issuer/").what, verdict::refused);
  EXPECT_EQ(without("iss").what, verdict::refused);
  EXPECT_EQ(with("aud", "https://others").what, verdict::refused);
  EXPECT_EQ(without("aud").what, verdict::refused);
  EXPECT_EQ(with("aud", json::array{"https://others", "https://us/mcp"}).what, verdict::valid);
  EXPECT_EQ(with("aud", json::array{1, "https://us/mc"}).what, verdict::refused);
  EXPECT_EQ(without("sub").what, verdict::refused);
}

TEST_F(verify, looks_at_the_times) {
  EXPECT_EQ(without("exp").what, verdict::refused);
  EXPECT_EQ(with("exp", now_s - 31).what, verdict::refused);
  EXPECT_EQ(with("exp", now_s - 29).what, verdict::valid) << "clocks differ";
  EXPECT_EQ(with("exp", "never").what, verdict::refused);
  EXPECT_EQ(with("exp", 1e300).what, verdict::refused);
  EXPECT_EQ(with("exp", -1).what, verdict::refused);
  EXPECT_EQ(with("nbf", now_s + 31).what, verdict::refused);
  EXPECT_EQ(with("nbf", now_s + 29).what, verdict::valid);
  EXPECT_EQ(with("nbf", "soon").what, verdict::refused);
}

TEST_F(verify, takes_no_other_signature) {
  auto good = rsa_.sign(claims(), "RS256", "r");
  auto changed = good;
  changed[good.size() - 10] = changed[good.size() - 10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(look(changed).what, verdict::refused);
  auto stranger = test_key::rsa("r");
  EXPECT_EQ(look(stranger.sign(claims(), "RS256", "r")).what, verdict::refused);
  EXPECT_EQ(look(stranger.sign(claims(), "RS256", "new")).what, verdict::unknown_key);
  // {"alg":"none"}, {"alg":"HS256","kid":"r"}
  auto body = good.substr(good.find('.'));
  EXPECT_NE(look("eyJhbGciOiJub25lIn0" + body).what, verdict::valid);
  EXPECT_NE(look("eyJhbGciOiJub25lIn0" + body.substr(0, body.rfind('.') + 1)).what, verdict::valid);
  EXPECT_NE(look("eyJhbGciOiJIUzI1NiIsImtpZCI6InIifQ" + body).what, verdict::valid);
}

TEST_F(verify, tries_no_key_of_another_name_and_few_without) {
  auto nameless = rsa_.published();
  nameless.erase("kid");
  keys_ = parsed(jwks_of({nameless}));
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "")).what, verdict::valid);
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "r")).what, verdict::valid) << "some issuers name keys in tokens alone";
  auto others = std::vector<json::object>(json_web_token::keys_tried_max, test_key::rsa("o").published());
  others.back() = rsa_.published();
  keys_ = parsed(jwks_of(others));
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "")).what, verdict::valid) << "the last one that is tried";
  others.insert(others.begin(), others.front());
  keys_ = parsed(jwks_of(others));
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "")).what, verdict::unknown_key);
  EXPECT_EQ(look(rsa_.sign(claims(), "RS256", "r")).what, verdict::valid) << "it is named";
}

TEST_F(verify, uses_a_key_for_its_algorithm_only) {
  auto bound = rsa_.published();
  bound["alg"] = "PS256";
  keys_ = parsed(jwks_of({bound}));
  EXPECT_NE(look(rsa_.sign(claims(), "RS256", "r")).what, verdict::valid);
  EXPECT_EQ(look(rsa_.sign(claims(), "PS256", "r")).what, verdict::valid);
}

TEST_F(verify, refuses_what_is_no_token) {
  for (auto& text :
       {""s, "."s, ".."s, "a.b.c"s, "a.b.c.d"s, "\0.\0.\0"s, std::string(40'000, 'a') + ".b.c", "e30.e30.e30"s}) {
    EXPECT_NE(look(text).what, verdict::valid) << text.substr(0, 20);
  }
  EXPECT_FALSE(json_web_token::is_token("cet_abc"));
  EXPECT_TRUE(json_web_token::is_token("a.b.c"));
  EXPECT_EQ(look("eyJhbGciOiJSUzI1NiIsImNyaXQiOlsieCJdfQ.e30.e30").why, // {"alg":"RS256","crit":["x"]}
            "the token wants an extension that is not known here");
}

} // namespace json_web_token_test
