#include "actors/child/list_refresh.hpp"

#include "tests/unit/actors/child/calls_fixture.hpp"

namespace child_calls_test {

/// Of a server with a list that costs the catalog much, and that was reviewed just now.
struct list_refresh_test : calls_fixture {
  child::calls_in_flight next = in_flight(100);
  child::call_intake intake{"kid", nullptr, {life, review, tools, restarts}, nullptr, next};
  child::server_link link{"kid", {}};
  child::list_refresh refresh{{life, link, review, intake}, 60s, requests().set_timer, [this] { return now; }};
  int heard = 0;

  list_refresh_test() { review.reviewed(review.told(1h), {}, now); }
  std::pair<timer, std::chrono::milliseconds> last_timer() {
    return timers.empty() ? std::pair{timer{}, 0ms} : timers.back();
  }
  /// A timer has come, and nothing has changed for the catalog.
  void pass(std::chrono::seconds time) {
    now += time;
    review.reviewed(review.told(1h), {}, now);
  }
  void wait() {
    refresh.wait([this] { ++heard; });
  }
  /// The list that was asked for just now.
  void read() {
    review.was_read();
    refresh.go_on();
  }
};

TEST_F(list_refresh_test, a_call_has_an_announced_list_read_sooner) {
  refresh.announced();
  EXPECT_EQ(last_timer(), std::pair(timer::relist, 60'000ms));
  refresh.take(make(1, 1));
  EXPECT_EQ(last_timer(), std::pair(timer::relist, 2'000ms)) << "whenever it comes";
  refresh.take(make(1, 2));
  EXPECT_EQ(timers.size(), 2u) << "one sees to it for all";
  EXPECT_TRUE(sent.empty());
}

TEST_F(list_refresh_test, what_is_announced_later_holds_no_call_up) {
  refresh.announced();
  refresh.take(make(1, 1));
  pass(2s);
  review.reads_again();
  refresh.announced();
  refresh.take(make(1, 2));
  read();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].key.call, 1u);
  EXPECT_EQ(last_timer(), std::pair(timer::relist, 2'000ms)) << "the other one waits for the next list";
  pass(2s);
  review.reads_again();
  refresh.announced();
  read();
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(last_timer(), std::pair(timer::relist, 60'000ms)) << "no caller waits";
}

TEST_F(list_refresh_test, however_often_it_is_announced_one_timer_runs) {
  for (int i = 0; i < 100; ++i) {
    refresh.announced();
    review.reads_again();
    refresh.announced();
    read();
  }
  EXPECT_EQ(timers.size(), 1u);
}

TEST_F(list_refresh_test, another_process_has_a_timer_of_its_own) {
  refresh.announced();
  now += 1s;
  refresh.process_started();
  review.reads_again();
  refresh.announced();
  EXPECT_EQ(timers.size(), 2u) << "that of the one before never comes";
}

TEST_F(list_refresh_test, who_wants_the_list_waits_as_a_call_does) {
  EXPECT_FALSE(refresh.is_behind());
  refresh.announced();
  EXPECT_TRUE(refresh.is_behind());
  wait();
  EXPECT_EQ(last_timer(), std::pair(timer::relist, 2'000ms));
  review.reads_again();
  EXPECT_TRUE(refresh.is_behind()) << "it has not come yet";
  refresh.announced();
  read();
  EXPECT_EQ(heard, 1);
  EXPECT_FALSE(refresh.has_waiting());
  EXPECT_TRUE(refresh.is_behind());
}

TEST_F(list_refresh_test, and_not_for_ever) {
  refresh.announced();
  wait();
  EXPECT_TRUE(std::find(timers.begin(), timers.end(), std::pair(timer::awaited_list, 4'000ms)) != timers.end())
    << "2 s until it is asked for, 2 s until it comes";
  now += 3s;
  review.reviewed(review.told(1h), {}, now);
  wait();
  refresh.end_late();
  EXPECT_EQ(heard, 0);
  now += 1s;
  refresh.end_late();
  EXPECT_EQ(heard, 1);
  refresh.give_up();
  EXPECT_EQ(heard, 2);
}

/// Where calls go on whatever is listed.
struct lenient_list_refresh_test : list_refresh_test {
  lenient_list_refresh_test() {
    review = child::tool_review{"kid", child::during_review::calls_go_on};
    review.reviewed(review.told(1h), {}, now);
  }
};

TEST_F(lenient_list_refresh_test, a_call_does_not_wait_for_ever_for_a_list) {
  refresh.announced();
  refresh.take(make(1, 1));
  EXPECT_TRUE(std::find(timers.begin(), timers.end(), std::pair(timer::awaited_list, 4'000ms)) != timers.end())
    << "2 s until it is asked for, 2 s until it comes";
  now += 1s;
  refresh.take(make(1, 2));
  now += 2s;
  refresh.end_late();
  EXPECT_TRUE(sent.empty());
  now += 1s;
  refresh.end_late();
  EXPECT_EQ(sent.size(), 2u) << "both came while the same pause lasted";
}

TEST_F(list_refresh_test, where_changed_tools_are_held_it_does) {
  refresh.announced();
  refresh.take(make(1, 1));
  now += 1h;
  refresh.end_late();
  EXPECT_TRUE(sent.empty());
}

} // namespace child_calls_test
