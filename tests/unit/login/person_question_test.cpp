#include "login/person_question.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace login_person_question_test {

using login::authorization_page;

login::target somewhere() {
  login::target at;
  at.name = "far";
  at.url = "https://mcp.example/mcp?key=secret";
  return at;
}

TEST(person_question, says_who_asks_and_where) {
  auto text = login::person_question(somewhere(), {"https://login.example:8443/authorize?state=s&code_challenge=c",
                                                   "https://issuer.example/t1?x=y",
                                                   {"read", "write"}});
  for (auto* word : {"'far'", "https://mcp.example/mcp", "https://login.example:8443", "https://issuer.example/t1",
                     "rights: read write"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  for (auto* word : {"secret", "state=", "code_challenge", "x=y"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
}

TEST(person_question, is_one_harmless_line) {
  auto at = somewhere();
  at.name = "far'\n\x1b[2K[MCP server 'bank'] \xe2\x80\xae";
  at.url = "https://a/\x1b[1m";
  auto text = login::person_question(at, {"https://a/x", "https://b/\n\r\x07", {std::string(5'000, 's')}});
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; })) << text;
  EXPECT_LT(text.size(), 1'500u);
}

TEST(person_question, nobody_is_sent_to_what_is_no_address_or_too_long) {
  auto problem = [](std::string url) { return login::problem_of_page({std::move(url), "https://i", {}}); };
  EXPECT_EQ(problem("https://login.example/authorize?state=s"), "");
  EXPECT_EQ(problem("http://127.0.0.1:1/authorize?" + std::string(5'000, 'x')), "");
  EXPECT_NE(problem("https://login.example/?" + std::string(login::page_address_bytes_max, 'x')), "");
  for (auto* odd :
       {"", "javascript:alert(1)", "file:///etc/passwd", "https://a b/", "https://a/?x=\x1b[2K", "https://a/?\n"})
    EXPECT_NE(problem(odd), "") << odd;
}

} // namespace login_person_question_test
