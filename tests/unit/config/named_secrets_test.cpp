#include "config/named_secrets.hpp"

#include "config/secrets.hpp"

#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

namespace config_named_secrets_test {

using strings = std::vector<std::string>;

constexpr auto secret = "q7Lm2Rv5Zp8Wd3Hs6Jf1";

bool is_found(const std::string& text) {
  auto found = config::named_secrets(text);
  return std::find(found.begin(), found.end(), secret) != found.end();
}

TEST(named_secrets, are_headers) {
  for (std::string before : {"X-API-Key: ", "X-API-Key:", "api-key: ", "--header=X-API-Key: ", "Authorization: Bearer ",
                             "Authorization:bearer ", "Authorization:", "Proxy-Authorization: Basic ", "x-auth: "})
    EXPECT_TRUE(is_found(before + secret)) << before;
}

TEST(named_secrets, are_variables_and_parameters) {
  for (std::string before :
       {"API_KEY=", "--env=API_KEY=", "cd x; API_KEY=", "API_KEY='", "https://h/mcp?api_key=",
        "https://h/mcp?a=b&token=", "https://h/mcp#access_token=", "host=h password=", "Server=h;Password=",
        "AccountName=a;AccountKey=", "pwd = ", "{'x-api-key': '", R"({\"x-api-key\":\")", "clientSecret:"})
    for (std::string after : {"", "&x=y", ";x=y", " server"})
      EXPECT_TRUE(is_found(before + secret
                           + (before.ends_with('\'')  ? "'"
                              : before.ends_with('"') ? "\\\""
                                                      : "")
                           + after))
        << before << after;
}

TEST(named_secrets, are_members_of_json) {
  EXPECT_EQ(
    config::named_secrets(
      R"({"Authorization":"Bearer ab\/12345678","n":[{"x-api-key":["b \"2"]}],"token":12345678,"url":"h?sig=c1234567"})"),
    (strings{"ab/12345678", "b \"2", "12345678", "c1234567"}));
}

TEST(named_secrets, end_where_they_may) {
  EXPECT_EQ(config::named_secrets("a=b;Password=p?4&c"), (strings{"p", "p?4"}));
  EXPECT_EQ(config::named_secrets("PASSWORD=my pass, word"), (strings{"my", "my pass, word"}));
  EXPECT_EQ(config::named_secrets("AccountKey=q7Lm2Rv5==;"), (strings{"q7Lm2Rv5==", "q7Lm2Rv5==;"}));
  EXPECT_EQ(config::named_secrets("x 'password': 'my pass word'"), (strings{"my pass word"}));
}

TEST(named_secrets, are_no_words_paths_and_urls) {
  for (auto* text : {"", "=", ":", "a=b", "https://example.com/key:value", "valkey/valkey:8.0.1-alpine3.20",
                     "quay.io/keycloak/keycloak:26.0.1-alpha", "sort_key:createdAt",
                     "token_endpoint=https://login.example.com/oauth/authorize",
                     "KEY_FILE=/home/u/q7Lm2Rv5Zp8Wd3Hs6Jf1", "key=/home/user/.ssh/id_ed25519",
                     R"({"AUTHOR":"q7Lm2Rv5Zp8Wd3Hs6Jf1"})", "PATTERN=q7Lm2Rv5Zp8Wd3Hs6Jf1", "Bearer: none"})
    EXPECT_EQ(config::named_secrets(text), strings{}) << text;
}

TEST(named_secrets, are_no_more_than_anybody_writes) {
  std::string text;
  for (int i = 100'000; i < 120'000; ++i)
    text += "key=" + std::to_string(i) + "x,";
  EXPECT_EQ(config::named_secrets(text).size(), config::named_secrets_max);
}

/// Hours when each pair is followed to the end of the text; with sanitizers.
TEST(named_secrets, take_time_that_grows_with_the_text_alone) {
  constexpr size_t bytes = 1u << 20;
  // Of this process alone, though others slow it down; where time grows with the square of the text, it is minutes.
  constexpr auto at_most = 5 * CLOCKS_PER_SEC;
  struct {
    std::string before, pair;
  } const cases[] = {{"", "a="},       {"", "a:"},       {"", ",a_key=x"},        {"", ".token=x"},
                     {"", "?a=&"},     {"", "a_key=\""}, {"-", "key1=<"},         {"", "key= "},
                     {"\"", "key:\\"}, {"", "key=://"},  {"", "host1:10.0,"},     {"", "key=aaaaaaaa-"},
                     {"-", "a-key="},  {"[\"", "key=<"}, {"{\"token\":[\"", "a="}};
  for (auto& [before, pair] : cases) {
    auto text = before;
    while (text.size() < bytes)
      text += pair;
    auto begin = std::clock();
    EXPECT_LE(config::named_secrets(text).size(), config::named_secrets_max);
    EXPECT_LT(std::clock() - begin, at_most) << before << pair;
  }
}

TEST(named_secrets, are_found_behind_thousands_of_other_pairs) {
  std::string text;
  for (int i = 0; i < 4'000; ++i)
    text += "host" + std::to_string(i) + ":10.0.0." + std::to_string(i % 256) + ",";
  EXPECT_TRUE(is_found(text + "token:" + secret + ",a:b"));
}

TEST(named_secrets, are_whole_or_known_by_their_beginnings_when_they_are_long) {
  std::string more, value = secret;
  while (value.size() < 20'000)
    value += std::to_string(value.size());
  EXPECT_EQ(config::named_secrets("API_KEY=" + value), strings{value});
  EXPECT_EQ(config::named_secrets("[x] API_KEY=" + value + "; x"), strings{value});
  for (int i = 0; i < 10; ++i)
    more += "key" + std::to_string(i) + "=" + std::to_string(i) + secret + "/";
  auto found = config::named_secrets(more + value);
  EXPECT_EQ(found.size(), 10u) << "one for each: nothing ends them";
  EXPECT_LT(found.back().size(), 5'000u);
}

} // namespace config_named_secrets_test
