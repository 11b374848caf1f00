#include "actors/run/held_bytes.hpp"
#include "actors/run/open_requests.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace actors_run_held_bytes_test {

using namespace actors::run;
using msg::errc;
constexpr auto step = msg::limits::held_bytes_step;

struct held_bytes_test : testing::Test {
  std::vector<uint64_t> told;
  held_bytes held{[this](uint64_t bytes) { told.push_back(bytes); }};
  std::vector<std::pair<uint64_t, errc>> replies;
  open_requests requests{held, [this](uint64_t id, const msg::outcome<msg::document>& answer) {
                           replies.emplace_back(id, answer.error.code);
                         }};
};

TEST_F(held_bytes_test, are_told_in_steps_both_ways) {
  held.hold(step - 1);
  EXPECT_TRUE(told.empty());
  held.hold(1);
  held.hold(5);
  held.let_go(step);
  EXPECT_EQ(told, (std::vector<uint64_t>{step})) << "5 less than a step is not worth a message";
  held.let_go(5);
  EXPECT_EQ(told, (std::vector<uint64_t>{step, 0}));
}

TEST_F(held_bytes_test, of_statistics_are_told_with_the_next_change) {
  held.set_statistics(2 * step);
  EXPECT_TRUE(told.empty());
  held.hold(1);
  EXPECT_EQ(told, (std::vector<uint64_t>{2 * step + 1}));
}

TEST_F(held_bytes_test, of_a_request_are_given_back_with_its_answer) {
  ASSERT_TRUE(requests.admit(1));
  requests.hold(1, step);
  requests.hold(1, step);
  requests.hold(2, step); // is none
  requests.answer(1, msg::document{});
  EXPECT_EQ(told, (std::vector<uint64_t>{step, 2 * step, 0}));
}

using open_requests_test = held_bytes_test;

TEST_F(open_requests_test, are_answered_once) {
  requests.admit(1);
  EXPECT_TRUE(requests.contains(1));
  requests.answer(1, msg::fault{errc::cancelled, ""});
  requests.answer(1, msg::document{});
  requests.answer(9, msg::document{});
  EXPECT_FALSE(requests.contains(1));
  EXPECT_EQ(replies, (std::vector<std::pair<uint64_t, errc>>{{1, errc::cancelled}}));
}

TEST_F(open_requests_test, are_bounded_and_who_comes_then_is_told) {
  for (uint64_t id = 1; id <= msg::limits::guest_requests_max; ++id)
    ASSERT_TRUE(requests.admit(id));
  EXPECT_FALSE(requests.admit(5'000));
  EXPECT_EQ(replies, (std::vector<std::pair<uint64_t, errc>>{{5'000, errc::overloaded}}));
  requests.answer(1, msg::document{});
  EXPECT_TRUE(requests.admit(5'001));
}

TEST_F(open_requests_test, are_all_answered_but_those_of_models) {
  requests.admit(1);
  requests.admit(model_call_first);
  requests.answer_all({errc::cancelled, "over"});
  requests.answer(1, msg::document{});
  requests.answer(model_call_first, msg::document{});
  EXPECT_EQ(replies, (std::vector<std::pair<uint64_t, errc>>{{1, errc::cancelled}}));
  EXPECT_EQ(requests.size(), 0u);
}

} // namespace actors_run_held_bytes_test
