// Heads of answers.
#include "response_text.hpp"

#include <gtest/gtest.h>

namespace http_response_test {

using namespace std::literals;

std::string head(http::response answer) {
  return http::head_text(answer, http::body_end::length, answer.body.size(), http::afterwards::keep);
}

TEST(http_response_text, a_status_is_one_of_an_answer) {
  EXPECT_TRUE(head({418}).starts_with("HTTP/1.1 418 \r\n"));
  for (uint16_t nonsense : {0, 99, 100, 199, 600, 65'535})
    EXPECT_TRUE(head({nonsense}).starts_with("HTTP/1.1 500 Internal Server Error\r\n")) << nonsense;
  for (uint16_t known : {200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 429, 431, 500, 501, 503})
    EXPECT_EQ(head({known}).find(" \r\n"), std::string::npos) << known;
}

TEST(http_response_text, nothing_that_is_given_is_more_than_one_line) {
  for (auto evil : {"a\rX: 1"s, "a\nX: 1"s, "a\r\nX: 1"s, "a\0X: 1"s, "\x7fX: 1"s}) {
    auto got = head({200, evil, "", {{"N", evil}, {evil, "v"}, {"", "X: 1"}}});
    EXPECT_EQ(got.find("X: 1"), std::string::npos) << got;
  }
  EXPECT_NE(head({200, "", "", {{"N", "\xc3\xa4"}}}).find("N: \xc3\xa4\r\n"), std::string::npos);
}

TEST(http_response_text, what_the_server_says_itself_is_said_once) {
  auto got = head({200,
                   "a/b",
                   "xyz",
                   {{"CONNECTION", "close"},
                    {"content-length", "9"},
                    {"Date", "x"},
                    {"content-type", "c/d"},
                    {"X-Content-Type-Options", "x"},
                    {"trailer", "x"}}});
  EXPECT_NE(got.find("Content-Length: 3\r\n"), std::string::npos) << got;
  for (auto lost : {"close", "9\r\n", "Date: x", "c/d", "Options: x", "railer"})
    EXPECT_EQ(got.find(lost), std::string::npos) << lost << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n"));
}

TEST(http_response_text, a_date_is_that_of_http) {
  auto got = head({200});
  auto at = got.find("Date: ");
  ASSERT_NE(at, std::string::npos);
  auto date = got.substr(at + 6, got.find("\r\n", at) - at - 6);
  EXPECT_EQ(date.size(), "Sun, 06 Nov 1994 08:49:37 GMT"s.size()) << date;
  EXPECT_TRUE(date.ends_with(" GMT")) << date;
}

} // namespace http_response_test
