#include "tests/unit/mcp/http_streams_fixture.hpp"

namespace mcp_http_streams_test {

// ---- answers -----------------------------------------------------------------------------------

TEST_F(http_streams_test, an_answer_that_comes_soon_is_json) {
  for (auto how : {resumption::none, resumption::quiet, resumption::offered}) {
    auto to = reader();
    auto stream = open(to, how);
    pass(limits::http_quiet_max - std::chrono::milliseconds{1});
    streams_->deliver(stream, kind::answer, "{}");
    EXPECT_EQ(to->answers, 1);
    EXPECT_EQ(to->begins + to->ends + to->aborts, 0);
    EXPECT_EQ(to->head.status, 200);
    EXPECT_EQ(to->head.type, "application/json");
    EXPECT_EQ(to->head.body, "{}");
    EXPECT_EQ(field(to, "Mcp-Session-Id"), "s");
  }
  EXPECT_EQ(streams_->count(), 0u);
}

TEST_F(http_streams_test, numbers_of_streams_are_never_used_again) {
  auto one = open(reader(), resumption::none);
  streams_->deliver(one, kind::answer, "{}");
  auto other = open(reader(), resumption::none);
  EXPECT_NE(one, other);
  EXPECT_NE(one, 0u);
}

TEST_F(http_streams_test, more_than_the_answer_makes_a_stream) {
  auto to = reader();
  auto stream = open(to, resumption::none);
  streams_->deliver(stream, kind::notification, "1");
  EXPECT_EQ(to->head.status, 200);
  EXPECT_EQ(to->head.type, "text/event-stream");
  EXPECT_EQ(field(to, "X-Accel-Buffering"), "no");
  EXPECT_EQ(field(to, "Mcp-Session-Id"), "s");
  EXPECT_EQ(to->ends, 0);
  streams_->deliver(stream, kind::request, "2");
  streams_->deliver(stream, kind::answer, "3");
  EXPECT_EQ(to->text, std::string{working} + event("", "1") + event("", "2") + event("", "3"));
  EXPECT_EQ(to->begins, 1);
  EXPECT_EQ(to->ends, 1);
  EXPECT_EQ(to->answers, 0);
  streams_->deliver(stream, kind::notification, "late");
  EXPECT_EQ(to->text.find("late"), std::string::npos);
}

TEST_F(http_streams_test, what_is_cancelled_ends_without_a_message) {
  auto plain = reader();
  streams_->deliver(open(plain, resumption::quiet), kind::none, "");
  EXPECT_EQ(plain->answers, 1);
  EXPECT_EQ(plain->head.status, 202);
  EXPECT_EQ(plain->head.body, "");
  auto to = reader();
  auto stream = open(to, resumption::quiet);
  streams_->deliver(stream, kind::notification, "1");
  to->take();
  streams_->deliver(stream, kind::none, "");
  EXPECT_EQ(to->text, "");
  EXPECT_EQ(to->ends, 1);
  EXPECT_EQ(streams_->count(), 0u);
}

TEST_F(http_streams_test, streams_do_not_mix) {
  auto one = reader(), other = reader();
  auto first = open(one, resumption::none);
  auto second = open(other, resumption::none);
  streams_->deliver(second, kind::notification, "of the second");
  streams_->deliver(first, kind::answer, "of the first");
  EXPECT_EQ(one->head.body, "of the first");
  EXPECT_EQ(other->text, std::string{working} + event("", "of the second"));
  EXPECT_EQ(streams_->count(), 1u);
}

// ---- silence -----------------------------------------------------------------------------------

TEST_F(http_streams_test, a_quiet_request_becomes_a_stream) {
  auto to = reader();
  auto stream = open(to, resumption::none);
  be_quiet();
  EXPECT_EQ(to->text, working);
  EXPECT_EQ(to->head.type, "text/event-stream");
  streams_->deliver(stream, kind::answer, "{}");
  EXPECT_EQ(to->text, std::string{working} + event("", "{}"));
  EXPECT_EQ(to->ends, 1);
}

TEST_F(http_streams_test, only_who_is_offered_to_come_back_gets_an_event_without_a_message) {
  auto offered = reader(), quiet = reader();
  auto stream = open(offered, resumption::offered);
  open(quiet, resumption::quiet);
  be_quiet();
  EXPECT_EQ(offered->text, "id: " + mcp::event_id({stream, 0}) + "\nretry: 1000\ndata: \n\n");
  EXPECT_EQ(quiet->text, working);
}

TEST_F(http_streams_test, a_silent_stream_shows_that_it_lives) {
  auto to = reader();
  auto stream = open(to, resumption::none);
  streams_->deliver(stream, kind::notification, "1");
  to->take();
  pass(limits::http_keep_alive - std::chrono::milliseconds{1});
  EXPECT_EQ(to->take(), "");
  pass(std::chrono::milliseconds{1});
  EXPECT_EQ(to->take(), ":\n\n");
  pass(limits::http_keep_alive / 2);
  streams_->deliver(stream, kind::notification, "2");
  to->take();
  pass(limits::http_keep_alive / 2);
  EXPECT_EQ(to->take(), "") << "it has told something meanwhile";
  pass(limits::http_keep_alive / 2);
  EXPECT_EQ(to->take(), ":\n\n");
}

TEST_F(http_streams_test, nobody_is_told_anything_who_has_gone) {
  auto to = reader();
  open(to, resumption::offered);
  to->leave();
  be_quiet();
  EXPECT_EQ(to->begins, 0);
}

// ---- the stream of what belongs to no request --------------------------------------------------

TEST_F(http_streams_test, there_is_one_own_stream) {
  auto own = reader(), second = reader();
  EXPECT_TRUE(open_own(own));
  EXPECT_EQ(own->head.type, "text/event-stream");
  EXPECT_FALSE(open_own(second));
  EXPECT_EQ(second->answers + second->begins, 0);
  own->take();
  streams_->deliver(0, kind::notification, "n");
  EXPECT_NE(own->text.find("data: n\n\n"), std::string::npos);
  EXPECT_EQ(own->ends, 0);
}

TEST_F(http_streams_test, the_own_stream_can_be_opened_again_when_its_reader_has_gone) {
  auto own = reader(), second = reader();
  open_own(own);
  own->leave();
  EXPECT_TRUE(lost_.empty());
  EXPECT_EQ(streams_->count(), 0u);
  EXPECT_TRUE(open_own(second));
}

TEST_F(http_streams_test, ids_of_the_own_stream_are_never_used_again) {
  auto id_of_next = [&] {
    auto own = reader();
    open_own(own);
    own->take();
    streams_->deliver(0, kind::notification, "n");
    own->leave();
    return own->text;
  };
  auto first = id_of_next();
  EXPECT_TRUE(first.starts_with("id: 0-")) << first;
  EXPECT_NE(first, id_of_next());
}

TEST_F(http_streams_test, without_an_own_stream_what_belongs_to_no_request_goes_nowhere) {
  auto to = reader();
  open(to, resumption::quiet);
  streams_->deliver(0, kind::notification, "n");
  EXPECT_EQ(to->begins, 0);
  EXPECT_EQ(streams_->count(), 1u);
}

// ---- bounds and ends ---------------------------------------------------------------------------

TEST_F(http_streams_test, who_does_not_read_is_broken_off) {
  auto one = reader(), other = reader();
  auto first = open(one, resumption::none);
  open(other, resumption::none);
  one->unsent = limits::http_unread_bytes_max - 10;
  other->unsent = 10;
  EXPECT_EQ(streams_->unsent_bytes(), limits::http_unread_bytes_max);
  streams_->deliver(first, kind::notification, "fits");
  EXPECT_EQ(one->aborts, 0);
  one->unsent += 1;
  streams_->deliver(first, kind::notification, "does not fit");
  EXPECT_EQ(one->aborts, 1);
  EXPECT_EQ(other->aborts, 0);
  EXPECT_EQ(lost_, std::vector<mcp::stream_number>{first}) << "what it asked for is cancelled";
}

TEST_F(http_streams_test, all_end_in_order) {
  auto plain = reader(), stream = reader(), own = reader();
  open(plain, resumption::none);
  auto number = open(stream, resumption::none);
  streams_->deliver(number, kind::notification, "1");
  open_own(own);
  streams_->end();
  EXPECT_EQ(plain->answers, 1);
  EXPECT_EQ(stream->ends, 1);
  EXPECT_EQ(own->ends, 1);
  EXPECT_EQ(streams_->count(), 0u);
  stream->take();
  streams_->deliver(number, kind::answer, "late");
  EXPECT_EQ(stream->text, "");
  EXPECT_TRUE(lost_.empty());
}

TEST_F(http_streams_test, what_comes_after_the_end_is_told) {
  streams_->end();
  auto late = reader();
  open(late, resumption::offered);
  EXPECT_EQ(late->answers, 1);
  EXPECT_EQ(streams_->count(), 0u);
}

TEST_F(http_streams_test, a_reader_may_go_when_there_are_no_streams_any_more) {
  auto to = reader();
  open(to, resumption::none);
  streams_.reset();
  to->leave();
  EXPECT_TRUE(lost_.empty());
}

} // namespace mcp_http_streams_test
