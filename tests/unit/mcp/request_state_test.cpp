#include "mcp/request_state.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace mcp_request_state_test {

using mcp::request_state;
using mcp::request_state_seal;

constexpr std::chrono::steady_clock::time_point then{std::chrono::hours{3}};

class request_state_test : public testing::Test {
protected:
  request_state_seal seal_;
};

TEST_F(request_state_test, what_is_sealed_is_opened) {
  ASSERT_TRUE(seal_.is_usable());
  for (auto& state : {request_state{1, 1, then}, request_state{0, 0, {}},
                      request_state{std::numeric_limits<uint64_t>::max(), std::numeric_limits<uint32_t>::max(),
                                    std::chrono::steady_clock::time_point::max()},
                      request_state{7, 2, std::chrono::steady_clock::time_point::min()}})
    EXPECT_EQ(seal_.open(seal_.seal(state)), state);
}

TEST_F(request_state_test, it_is_text_that_every_client_can_repeat) {
  auto text = seal_.seal({1, 1, then});
  EXPECT_EQ(text.size(), request_state_seal::text_chars);
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), text.npos)
    << text;
}

TEST_F(request_state_test, the_same_is_never_sealed_the_same_way) {
  std::set<std::string> all;
  for (int i = 0; i < 1'000; ++i)
    all.insert(seal_.seal({1, 1, then}));
  EXPECT_EQ(all.size(), 1'000u);
}

TEST_F(request_state_test, nothing_in_it_can_be_changed) {
  auto text = seal_.seal({1, 1, then});
  for (size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(seal_.open(changed)) << i;
  }
  EXPECT_TRUE(seal_.open(text));
}

TEST_F(request_state_test, of_another_client_it_is_not_opened) {
  request_state_seal other;
  EXPECT_FALSE(other.open(seal_.seal({1, 1, then})));
}

TEST_F(request_state_test, what_is_no_such_text_is_not_opened) {
  auto text = seal_.seal({1, 1, then});
  for (auto& wrong :
       {std::string{}, text.substr(1), text + "A", text + "=", " " + text.substr(1), text.substr(1) + "\n",
        text.substr(2) + "==", std::string(request_state_seal::text_chars, '\0'),
        std::string(request_state_seal::text_chars, '+'), std::string(request_state_seal::text_chars, ' '),
        std::string(request_state_seal::text_chars, 'A'), std::string(100'000, 'A')})
    EXPECT_FALSE(seal_.open(wrong)) << wrong.substr(0, 100);
}

} // namespace mcp_request_state_test
