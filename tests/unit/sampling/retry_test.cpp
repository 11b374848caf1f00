#include "sampling/retry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sampling_retry_test {

using namespace sampling;
using std::chrono::system_clock;

/// Sun, 06 Nov 1994 08:49:37 GMT
const auto now = system_clock::from_time_t(784'111'777);
const milliseconds plenty{1'000'000};

msg::fault limited() { return {msg::errc::rate_limited, "too often"}; }
msg::fault failed() { return {msg::errc::model_failed, "failed"}; }

TEST(asked_delay, reads_all_forms) {
  using result = std::optional<milliseconds>;
  struct {
    const char *ms, *seconds;
    result delay;
  } const cases[] = {
    {"", "", {}},
    {"", "2", milliseconds{2'000}},
    {"", " 2 ", milliseconds{2'000}},
    {"", "0", milliseconds{0}},
    {"", "1.5", milliseconds{1'500}},
    {"250", "2", milliseconds{250}},
    {"12.9", "", milliseconds{12}},
    {"soon", "2", milliseconds{2'000}},
    {"", "Sun, 06 Nov 1994 08:49:39 GMT", milliseconds{2'000}},
    {"", "Sun, 06 Nov 1994 08:49:36 GMT", milliseconds{0}},
    {"", "Mon, 06 Nov 2094 08:49:36 GMT", milliseconds{86'400'000}},
    {"", "99999999999999999999999", milliseconds{86'400'000}},
    {"", "-1", {}},
    {"", "nan", {}},
    {"", "inf", {}},
    {"", "1e3", {}},
    {"", "2 s", {}},
    {"", "tomorrow", {}},
    {"", "Sun, 06 Nov 1994 08:49:39 GMT and more", {}},
    {"", "Sun, 99 Nov 1994 08:49:39 GMT", {}},
  };
  for (auto& c : cases)
    EXPECT_EQ(asked_delay(c.ms, c.seconds, now), c.delay) << c.ms << "|" << c.seconds;
}

TEST(is_passing, knows_what_may_be_better_next_time) {
  for (int status : {408, 429, 500, 502, 503, 504, 529, 599})
    EXPECT_TRUE(is_passing({transport::answered, status, {}, {}})) << status;
  for (int status : {0, 200, 301, 400, 401, 403, 404, 413, 422, 501, 600})
    EXPECT_FALSE(is_passing({transport::answered, status, {}, {}})) << status;
  EXPECT_TRUE(is_passing({transport::not_connected, 0, {}, {}}));
  EXPECT_TRUE(is_passing({transport::lost_early, 0, {}, {}}));
  for (auto how : {transport::lost, transport::timed_out, transport::not_trusted, transport::failed})
    EXPECT_FALSE(is_passing({how, 0, {}, {}}));
}

TEST(retry, is_bounded_and_waits_longer_each_time) {
  for (uint64_t seed : {0ull, 1ull, 99ull, ~0ull}) {
    retry_policy policy{{}, seed};
    milliseconds sum{0};
    for (int64_t full : {500, 1'000, 2'000}) {
      auto wait = policy.after({transport::answered, 529, {}, {}}, failed(), plenty, now).wait;
      ASSERT_TRUE(wait.has_value());
      EXPECT_GE(wait->count(), full / 2);
      EXPECT_LE(wait->count(), full);
      sum += *wait;
    }
    EXPECT_LE(sum, milliseconds{7'000});
    auto last = policy.after({transport::answered, 529, {}, {}}, failed(), plenty, now);
    EXPECT_FALSE(last.wait.has_value());
    EXPECT_EQ(last.error.message, "failed");
    EXPECT_EQ(policy.tries(), 4u);
  }
}

TEST(retry, has_a_longest_delay) {
  retry_policy policy{{100, milliseconds{500}, milliseconds{8'000}}, 7};
  for (int i = 0; i < 99; ++i)
    EXPECT_LE(*policy.after({transport::not_connected, 0, {}, {}}, failed(), plenty, now).wait, milliseconds{8'000});
}

TEST(retry, of_many_is_spread) {
  std::set<int64_t> waits;
  for (uint64_t seed = 0; seed < 100; ++seed)
    waits.insert(retry_policy{{}, seed}.after({transport::answered, 503, {}, {}}, failed(), plenty, now).wait->count());
  EXPECT_GT(waits.size(), 50u);
}

TEST(retry, waits_as_long_as_it_is_asked_to) {
  retry_policy policy{{}, 1};
  auto next = policy.after({transport::answered, 429, "3", {}}, limited(), plenty, now);
  EXPECT_EQ(next.wait, milliseconds{3'000});
  EXPECT_EQ(next.error.retry_after_ms, 3'000u);
  auto told = limited();
  told.retry_after_ms = 700; // by the body
  EXPECT_EQ(policy.after({transport::answered, 429, {}, {}}, told, plenty, now).wait, milliseconds{700});
  EXPECT_EQ(policy.after({transport::answered, 429, "1", {}}, told, plenty, now).wait, milliseconds{1'000})
    << "the header counts more";
}

TEST(retry, does_not_begin_a_wait_that_is_too_long) {
  retry_policy policy{{}, 1};
  auto next = policy.after({transport::answered, 429, "10", {}}, limited(), milliseconds{10'000}, now);
  EXPECT_FALSE(next.wait.has_value());
  EXPECT_EQ(next.error.retry_after_ms, 10'000u);
  EXPECT_EQ(next.error.code, msg::errc::rate_limited);
  EXPECT_FALSE(
    policy.after({transport::answered, 429, "3600", {}}, limited(), std::chrono::hours{24}, now).wait.has_value());
  EXPECT_FALSE(policy.after({transport::answered, 500, {}, {}}, failed(), milliseconds{100}, now).wait.has_value());
  EXPECT_FALSE(policy.after({transport::answered, 429, "3", {}}, limited(), milliseconds{3'050}, now).wait.has_value())
    << "a try of 50 ms gives no answer";
  EXPECT_EQ(policy.tries(), 1u);
}

TEST(retry, is_not_for_what_stays) {
  retry_policy policy{{}, 1};
  EXPECT_FALSE(policy.after({transport::answered, 401, {}, {}}, failed(), plenty, now).wait.has_value());
  EXPECT_FALSE(policy.after({transport::answered, 429, {}, {}}, failed(), plenty, now).wait.has_value())
    << "no credit left";
  EXPECT_FALSE(policy.after({transport::timed_out, 0, {}, {}}, failed(), plenty, now).wait.has_value());
}

} // namespace sampling_retry_test
