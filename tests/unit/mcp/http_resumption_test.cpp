#include "mcp/http_resumption.hpp"

#include <gtest/gtest.h>

namespace mcp_http_resumption_test {

using mcp::awaited;
using mcp::ended_stream;
using mcp::http_resumption;
using std::chrono::milliseconds;

ended_stream silent() { return {200, true, false, {}, {}}; }
ended_stream with_id(std::string id) { return {200, true, false, std::move(id), {}}; }
ended_stream status(uint16_t what) { return {what, false, false, {}, {}}; }

TEST(http_resumption, so_often_without_news) {
  for (auto& how : {silent(), status(0), status(503), status(429)}) {
    http_resumption rest{awaited::answer};
    rest.ended(with_id("7"));
    for (int i = 0; i < mcp::http_resumptions_max; ++i) {
      ASSERT_TRUE(rest.goes_on()) << i << " " << how.status;
      EXPECT_EQ(rest.last_id(), "7") << "a stream without ids goes on from there";
      rest.ended(how);
    }
    EXPECT_FALSE(rest.goes_on()) << how.status;
  }
}

TEST(http_resumption, news_begin_the_count_anew) {
  http_resumption rest{awaited::answer};
  for (int i = 0; i < 3 * mcp::http_resumptions_max; ++i) {
    rest.ended(with_id(std::to_string(i)));
    rest.ended(status(503));
    ASSERT_TRUE(rest.goes_on());
  }
}

TEST(http_resumption, what_is_refused_for_good_is_not_asked_for_again) {
  for (uint16_t what : {200, 202, 400, 401, 404, 405, 501}) {
    http_resumption rest{awaited::answer};
    rest.ended(with_id("7"));
    rest.ended(status(what));
    EXPECT_FALSE(rest.goes_on()) << what;
  }
}

TEST(http_resumption, an_id_that_can_not_be_sent_is_none) {
  http_resumption rest{awaited::answer};
  rest.ended(with_id("a\x01"
                     "b"));
  EXPECT_EQ(rest.last_id(), "");
  rest.ended(with_id("7"));
  EXPECT_EQ(rest.last_id(), "7");
  rest.ended(with_id("\x7f"));
  EXPECT_EQ(rest.last_id(), "") << "nobody knows what has come since";
}

TEST(http_resumption, pauses_grow_while_nothing_comes) {
  http_resumption rest{awaited::anything};
  ended_stream eager{200, true, false, "x", milliseconds{0}};
  milliseconds all{0};
  for (int i = 0; i < 20; ++i) {
    rest.ended(eager);
    ASSERT_TRUE(rest.goes_on()) << "servers end streams that nothing is said in";
    all += rest.pause();
  }
  EXPECT_GT(all, std::chrono::minutes{1});
  EXPECT_LE(rest.pause(), std::chrono::seconds{10});
  eager.has_messages = true;
  rest.ended(eager);
  EXPECT_LE(rest.pause(), milliseconds{100});
}

TEST(http_resumption, what_nobody_waits_for_is_asked_for_through_an_outage) {
  for (uint16_t what : {0, 401, 429, 500, 503}) {
    http_resumption rest{awaited::anything};
    rest.ended(with_id("7"));
    for (int i = 0; i < 20; ++i) {
      EXPECT_LE(rest.pause(), i < mcp::http_resumptions_max ? milliseconds{10'000} : milliseconds{300'000}) << i;
      rest.ended(status(what));
      ASSERT_TRUE(rest.goes_on()) << what;
    }
    EXPECT_EQ(rest.pause(), milliseconds{300'000}) << what;
    rest.ended(silent());
    EXPECT_LE(rest.pause(), milliseconds{10'000}) << what;
  }
  for (uint16_t what : {400, 403, 404, 405, 501}) {
    http_resumption rest{awaited::anything};
    rest.ended(status(what));
    EXPECT_FALSE(rest.goes_on()) << what;
  }
}

TEST(http_resumption, calls_that_go_well_make_it_hurry_for_a_while) {
  http_resumption rest{awaited::anything};
  for (int i = 0; i < 4; ++i)
    rest.ended(silent());
  EXPECT_EQ(rest.hurried_pause(), rest.pause()) << "it ends in good order: they say nothing new";
  for (int i = 0; i < 10; ++i)
    rest.ended(status(503));
  milliseconds last{0};
  for (int i = 0; i < 20; ++i) {
    EXPECT_GE(rest.hurried_pause(), std::max(last, milliseconds{1'000}));
    last = rest.hurried_pause();
    rest.hurried();
    rest.ended(status(503));
  }
  EXPECT_EQ(last, milliseconds{300'000}) << "a server that never gives it is not asked at each call";
  rest.ended(silent());
  rest.ended(status(503));
  EXPECT_EQ(rest.hurried_pause(), milliseconds{1'000});
}

TEST(http_resumption, an_answer_is_waited_for_without_long_pauses) {
  http_resumption rest{awaited::answer};
  for (int i = 0; i < 40; ++i)
    rest.ended({200, true, false, std::to_string(i), milliseconds{50}});
  EXPECT_EQ(rest.pause(), milliseconds{1'000});
  rest.ended({200, true, false, "more", milliseconds{30'000}});
  EXPECT_EQ(rest.pause(), milliseconds{30'000}) << "as the server says";
}

} // namespace mcp_http_resumption_test
