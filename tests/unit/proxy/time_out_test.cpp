#include "proxy/time_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace proxy_time_out_test {

using proxy::time_out_text;
using proxy::waited_for;

TEST(time_out_text, names_what_was_open) {
  EXPECT_EQ(time_out_text(30'000, 300'000, {{{"mcp__s__t", "s", 12'340, 0, {}, 0}}, 0}),
            "Execution timed out after 30000 ms (timeoutMs; at most 300000)\nStill open: mcp__s__t (12.3 s without an "
            "answer).");
  EXPECT_EQ(time_out_text(300'000, 300'000, {{{"mcp__s__t", "s", 12'340, 9'960, {}, 0}}, 1}),
            "Execution timed out after 300000 ms (timeoutMs, which is the most)\n"
            "Still open: mcp__s__t (server 's' has been starting for 10.0 s), and 1 other request.");
}

TEST(time_out_text, quotes_what_came_instead_of_an_answer) {
  auto text = time_out_text(1'000, 2'000, {{{"mcp__s__t", "s", 900, 0, "{\"half\":", 0}}, 0});
  EXPECT_NE(text.find("(0.9 s without an answer; the server printed: {\"half\":)"), std::string::npos) << text;
}

TEST(time_out_text, says_that_a_server_does_not_read) {
  auto text = time_out_text(3'000, 4'000, {{{"mcp__s__t", "s", 2'900, 0, {}, 2'500}}, 0});
  EXPECT_NE(text.find("(2.9 s without an answer; the server has not read its requests for 2.5 s)"), std::string::npos)
    << text;
}

TEST(time_out_text, says_that_a_server_has_enough_to_do) {
  auto text = time_out_text(3'000, 4'000, {{{"mcp__s__t", "s", 2'900, 0, {}, 0, {}, 3}}, 0});
  EXPECT_NE(text.find("(2.9 s without an answer; 3 calls of this run wait until the server has answered others)"),
            std::string::npos)
    << text;
  text = time_out_text(3'000, 4'000, {{{"mcp__s__t", "s", 2'900, 2'900, {}, 0, {}, 3}}, 0});
  EXPECT_EQ(text.find("others"), std::string::npos) << "it has not begun";
}

TEST(time_out_text, says_that_nothing_was) {
  EXPECT_EQ(
    time_out_text(1'000, 2'000, {}),
    "Execution timed out after 1000 ms (timeoutMs; at most 2000)\nNo call was open: the program itself took the time.");
  waited_for open;
  open.has_network = true;
  EXPECT_TRUE(time_out_text(1'000, 2'000, open).ends_with("itself took the time, or a host that it was waiting for."));
  EXPECT_NE(time_out_text(1'000, 2'000, {{}, 3}).find("\nStill open: 3 other requests."), std::string::npos);
}

TEST(time_out_text, does_not_blame_a_program_that_had_not_begun) {
  auto text = time_out_text(1'000, 2'000, {{}, 0, false});
  EXPECT_NE(
    text.find("\nThe program had not begun: starting its sandbox took the time. Nothing of it was carried out;"),
    std::string::npos)
    << text;
}

TEST(time_out_text, is_short_whatever_was_open) {
  waited_for open;
  for (uint64_t i = 0; i < 1'000; ++i)
    open.calls.push_back({"mcp__s__" + std::to_string(i % 8) + std::string(10'000, 'x') + "\n", "", i, 0, {}, 0});
  auto text = time_out_text(1'000, 2'000, open);
  EXPECT_LT(text.size(), 4'000u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_NE(text.find(" x 125 (1.0 s"), std::string::npos) << text;
  EXPECT_NE(text.find(", and 3 more tools."), std::string::npos) << text;
}

} // namespace proxy_time_out_test
