#include "tests/unit/mcp/http_streams_fixture.hpp"

namespace mcp_http_streams_test {

using http_streams_resumption_test = http_streams_test;

TEST_F(http_streams_resumption_test, without_it_who_goes_is_lost) {
  auto to = reader();
  auto stream = open(to, resumption::none);
  EXPECT_EQ(streams_->attached(), 1u);
  to->leave();
  EXPECT_EQ(lost_, std::vector<mcp::stream_number>{stream});
  EXPECT_EQ(streams_->count(), 0u);
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_EQ(to->answers, 0);
}

TEST_F(http_streams_resumption_test, with_it_a_stream_waits_for_its_client) {
  for (auto how : {resumption::quiet, resumption::offered}) {
    auto to = reader();
    auto before = streams_->count();
    open(to, how);
    to->leave();
    EXPECT_EQ(streams_->count(), before + 1);
    EXPECT_EQ(streams_->attached(), 0u);
  }
  EXPECT_TRUE(lost_.empty());
}

TEST_F(http_streams_resumption_test, events_have_ids_that_name_their_stream) {
  auto one = reader(), other = reader();
  auto first = open(one, resumption::quiet);
  auto second = open(other, resumption::offered);
  streams_->deliver(first, kind::notification, "a");
  streams_->deliver(second, kind::notification, "b");
  streams_->deliver(first, kind::answer, "c");
  EXPECT_EQ(one->text,
            std::string{working} + event(mcp::event_id({first, 1}), "a") + event(mcp::event_id({first, 2}), "c"));
  EXPECT_NE(other->text.find("id: " + mcp::event_id({second, 1}) + "\n"), std::string::npos);
}

TEST_F(http_streams_resumption_test, during_the_stream_what_was_missed_comes_first) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  be_quiet();
  streams_->deliver(stream, kind::notification, "1");
  broken->leave();
  streams_->deliver(stream, kind::notification, "2");
  ASSERT_TRUE(resume({stream, 1}, back));
  EXPECT_EQ(back->head.type, "text/event-stream");
  EXPECT_EQ(back->take(), std::string{working} + event(mcp::event_id({stream, 2}), "2"));
  EXPECT_EQ(back->ends, 0);
  streams_->deliver(stream, kind::answer, "3");
  EXPECT_EQ(back->text, event(mcp::event_id({stream, 3}), "3"));
  EXPECT_EQ(back->ends, 1);
}

TEST_F(http_streams_resumption_test, after_the_stream_the_answer_is_told_and_it_ends) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  be_quiet();
  broken->leave();
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_EQ(streams_->count(), 0u);
  ASSERT_TRUE(resume({stream, 0}, back));
  EXPECT_EQ(back->text, std::string{working} + event(mcp::event_id({stream, 1}), "{}"));
  EXPECT_EQ(back->ends, 1);
  EXPECT_EQ(streams_->count(), 0u);
}

TEST_F(http_streams_resumption_test, the_answer_can_be_fetched_again) {
  auto stream = open(reader(), resumption::offered);
  be_quiet();
  streams_->deliver(stream, kind::answer, "{}");
  for (int i = 0; i < 2; ++i) {
    auto back = reader();
    ASSERT_TRUE(resume({stream, 0}, back));
    EXPECT_NE(back->text.find("data: {}\n\n"), std::string::npos);
  }
}

TEST_F(http_streams_resumption_test, other_streams_are_not_replayed) {
  auto stream = open(reader(), resumption::offered);
  auto other = open(reader(), resumption::offered);
  streams_->deliver(stream, kind::notification, "mine");
  streams_->deliver(other, kind::notification, "not mine");
  auto back = reader();
  resume({stream, 0}, back);
  EXPECT_NE(back->text.find("data: mine"), std::string::npos);
  EXPECT_EQ(back->text.find("not mine"), std::string::npos);
}

TEST_F(http_streams_resumption_test, a_stream_that_never_was_can_not_be_come_back_to) {
  auto back = reader();
  EXPECT_FALSE(resume({1, 0}, back));
  open(reader(), resumption::offered);
  EXPECT_FALSE(resume({2, 0}, back));
  EXPECT_FALSE(resume({UINT64_MAX, 0}, back));
  EXPECT_EQ(back->answers + back->begins, 0);
}

TEST_F(http_streams_resumption_test, who_comes_back_takes_the_place_of_who_was_there) {
  auto earlier = reader(), back = reader();
  auto stream = open(earlier, resumption::offered);
  be_quiet();
  ASSERT_TRUE(resume({stream, 0}, back));
  EXPECT_EQ(earlier->ends, 1);
  earlier->leave();
  EXPECT_EQ(streams_->attached(), 1u) << "the earlier reader is not missed";
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_NE(back->text.find("data: {}"), std::string::npos);
  EXPECT_EQ(earlier->text.find("data: {}"), std::string::npos);
}

TEST_F(http_streams_resumption_test, the_own_stream_is_come_back_to) {
  auto own = reader(), back = reader();
  open_own(own);
  streams_->deliver(0, kind::notification, "1");
  own->leave();
  ASSERT_TRUE(resume({0, 1}, back));
  streams_->deliver(0, kind::notification, "2");
  EXPECT_NE(back->text.find("data: 2\n\n"), std::string::npos);
  EXPECT_FALSE(open_own(reader()));
}

TEST_F(http_streams_resumption_test, what_is_not_kept_any_more_can_not_be_come_back_to) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  be_quiet();
  broken->leave();
  streams_->deliver(stream, kind::answer, std::string(limits::http_replay_bytes_max, 'x'));
  EXPECT_FALSE(resume({stream, 0}, back));
  EXPECT_EQ(back->answers + back->begins, 0);
}

TEST_F(http_streams_resumption_test, a_gap_is_not_passed_over) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  for (size_t i = 0; i < limits::http_replay_events_max + 2; ++i)
    streams_->deliver(stream, kind::notification, "n");
  broken->leave();
  EXPECT_FALSE(resume({stream, 1}, back));
  EXPECT_TRUE(resume({stream, 2}, back));
}

TEST_F(http_streams_resumption_test, what_was_left_out_is_not_passed_over) {
  auto to = reader();
  auto stream = open(to, resumption::offered);
  streams_->deliver(stream, kind::notification, "1");
  streams_->leave_out(stream);
  EXPECT_EQ(streams_->attached(), 0u) << "its reader is left";
  EXPECT_FALSE(resume({stream, 1}, reader()));
  streams_->deliver(stream, kind::notification, "3");
  EXPECT_FALSE(resume({stream, 1}, reader()));
}

TEST_F(http_streams_resumption_test, what_was_too_large_to_keep_is_not_passed_over) {
  const std::string large(limits::http_replay_bytes_max, 'x');
  auto running = open(reader(), resumption::offered);
  streams_->deliver(running, kind::notification, "1");
  streams_->deliver(running, kind::notification, large);
  auto back = reader();
  EXPECT_FALSE(resume({running, 0}, back)) << "at the end of what is kept";
  streams_->deliver(running, kind::notification, "3");
  EXPECT_FALSE(resume({running, 0}, back)) << "in the middle";
  EXPECT_FALSE(resume({running, 1}, back)) << "at the beginning";
  EXPECT_EQ(back->answers + back->begins, 0);
  EXPECT_TRUE(resume({running, 2}, back)) << "it has seen that one";

  auto over = open(reader(), resumption::offered);
  be_quiet();
  streams_->deliver(over, kind::notification, "1");
  streams_->deliver(over, kind::answer, large);
  EXPECT_EQ(come_back({over, 0}, reader()), resumed::no) << "the answer is missing";
}

TEST_F(http_streams_resumption_test, a_cancelled_one_has_nothing_to_come_back_for) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  be_quiet();
  broken->leave();
  streams_->deliver(stream, kind::none, "");
  EXPECT_EQ(come_back({stream, 0}, back), resumed::is_over);
  EXPECT_EQ(streams_->count(), 0u);
}

TEST_F(http_streams_resumption_test, who_does_not_read_can_come_back) {
  auto deaf = reader(), back = reader();
  auto stream = open(deaf, resumption::offered);
  deaf->unsent = limits::http_unread_bytes_max + 1;
  streams_->deliver(stream, kind::notification, "1");
  EXPECT_EQ(deaf->aborts, 1);
  EXPECT_EQ(streams_->attached(), 0u);
  ASSERT_TRUE(resume({stream, 0}, back));
  EXPECT_NE(back->text.find("data: 1\n\n"), std::string::npos);
  EXPECT_TRUE(lost_.empty());
}

// ---- the last event of a stream ----------------------------------------------------------------

/// Some clients come back after every answer, and take an error for one of the server.
TEST_F(http_streams_resumption_test, after_the_last_event_of_a_stream_there_is_nothing) {
  auto told = reader(), back = reader();
  auto stream = open(told, resumption::offered);
  be_quiet();
  streams_->deliver(stream, kind::notification, "1");
  EXPECT_EQ(come_back({stream, 1}, reader()), resumed::yes) << "it goes on";
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_EQ(come_back({stream, 2}, back), resumed::is_over);
  EXPECT_EQ(back->answers + back->begins, 0);
  EXPECT_EQ(come_back({stream, 1}, reader()), resumed::yes) << "the answer";
  EXPECT_EQ(come_back({stream, 3}, reader()), resumed::no);
}

TEST_F(http_streams_resumption_test, an_answer_that_is_too_large_to_keep_was_the_last_event_all_the_same) {
  auto stream = open(reader(), resumption::offered);
  be_quiet();
  streams_->deliver(stream, kind::answer, std::string(limits::http_replay_bytes_max, 'x'));
  EXPECT_EQ(come_back({stream, 1}, reader()), resumed::is_over);
  EXPECT_EQ(come_back({stream, 0}, reader()), resumed::no) << "it may have been missed";
}

TEST_F(http_streams_resumption_test, streams_that_ended_long_ago_are_forgotten) {
  auto first = open(reader(), resumption::quiet);
  streams_->deliver(first, kind::notification, "1");
  streams_->deliver(first, kind::none, "");
  EXPECT_EQ(come_back({first, 1}, reader()), resumed::is_over);
  for (size_t i = 0; i < limits::http_replay_events_max; ++i) {
    auto stream = open(reader(), resumption::quiet);
    streams_->deliver(stream, kind::notification, "1");
    streams_->deliver(stream, kind::none, "");
  }
  EXPECT_EQ(come_back({first, 1}, reader()), resumed::no);
}

// ---- who never comes back ----------------------------------------------------------------------

TEST_F(http_streams_resumption_test, what_nobody_comes_back_for_is_lost_after_a_while) {
  auto broken = reader(), json = reader();
  auto stream = open(broken, resumption::offered);
  auto other = open(json, resumption::quiet);
  be_quiet();
  broken->leave();
  pass(2 * mcp::http_absence_max);
  EXPECT_TRUE(lost_.empty()) << "the client is there, by another request";
  json->leave();
  pass(mcp::http_absence_max - std::chrono::milliseconds{1});
  EXPECT_TRUE(lost_.empty());
  pass(std::chrono::milliseconds{1});
  EXPECT_EQ(lost_, (std::vector<mcp::stream_number>{stream, other}));
  EXPECT_EQ(streams_->count(), 0u);
  EXPECT_EQ(come_back({stream, 0}, reader()), resumed::no);
}

TEST_F(http_streams_resumption_test, who_comes_back_before_loses_nothing) {
  auto broken = reader(), back = reader();
  auto stream = open(broken, resumption::offered);
  be_quiet();
  broken->leave();
  pass(mcp::http_absence_max - std::chrono::milliseconds{1});
  ASSERT_TRUE(resume({stream, 0}, back));
  pass(mcp::http_absence_max);
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_NE(back->text.find("data: {}"), std::string::npos);
  EXPECT_TRUE(lost_.empty());
}

TEST_F(http_streams_resumption_test, who_asks_for_something_else_is_there) {
  auto broken = reader();
  auto stream = open(broken, resumption::offered);
  broken->leave();
  for (int i = 0; i < 3; ++i) {
    pass(mcp::http_absence_max - std::chrono::milliseconds{1});
    streams_->asked();
  }
  EXPECT_TRUE(lost_.empty());
  auto own = reader();
  open_own(own);
  pass(2 * mcp::http_absence_max);
  EXPECT_TRUE(lost_.empty()) << "it reads the stream that belongs to no request";
  own->leave();
  pass(mcp::http_absence_max);
  EXPECT_EQ(lost_, std::vector<mcp::stream_number>{stream});
}

} // namespace mcp_http_streams_test
