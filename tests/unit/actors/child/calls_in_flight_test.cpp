#include "actors/child/calls_in_flight.hpp"

#include "tests/unit/actors/child/calls_fixture.hpp"

namespace child_calls_test {

// ---- slots ----------------------------------------------------------------------------------

void take(child::call_slots& slots, uint64_t run, uint64_t client, size_t calls = 1) {
  for (size_t i = 0; i < calls; ++i)
    slots.take(run, client);
}

TEST(child_call_slots, calls_that_were_given_up_have_at_most_half_of_them_and_never_the_last) {
  child::call_slots::time_point now{1h};
  for (auto [slots, free] : {std::pair{1u, 1u}, std::pair{2u, 1u}, std::pair{5u, 3u}}) {
    child::call_slots all{slots};
    for (uint64_t i = 0; i < slots; ++i)
      all.keep({1, i}, now);
    take(all, 2, 1, free - 1);
    EXPECT_TRUE(all.is_free(3, 1)) << slots;
    take(all, 2, 1);
    EXPECT_FALSE(all.is_free(3, 1)) << slots;
  }
}

TEST(child_call_slots, are_kept_one_by_one) {
  child::call_slots::time_point now{1h};
  child::call_slots all{4};
  EXPECT_FALSE(all.next_end().has_value());
  all.keep({1, 1}, now);
  all.keep({1, 2}, now + 2s);
  take(all, 2, 1, 2);
  EXPECT_EQ(all.next_end(), now + child::given_up_slot_max);
  EXPECT_FALSE(all.is_free(3, 1));
  all.give_back_old(now + child::given_up_slot_max);
  EXPECT_FALSE(all.is_kept({1, 1}));
  EXPECT_TRUE(all.is_kept({1, 2}));
  EXPECT_TRUE(all.is_free(3, 1));
  EXPECT_TRUE(all.give_back({1, 2}));
  EXPECT_FALSE(all.give_back({1, 2})) << "its slot was free already";
}

TEST(child_call_slots, of_another_process_are_all_free) {
  child::call_slots all{2};
  all.keep({1, 1}, {});
  all.clear();
  take(all, 2, 1);
  EXPECT_TRUE(all.is_free(3, 1));
}

TEST(child_call_slots, one_run_does_not_have_all_of_them) {
  child::call_slots all{32};
  take(all, 1, 1, 23);
  EXPECT_TRUE(all.is_free(1, 1));
  take(all, 1, 1);
  EXPECT_FALSE(all.is_free(1, 1)) << "the others are for runs that have none";
  EXPECT_TRUE(all.is_free(2, 1));
  all.free(1, 1);
  EXPECT_TRUE(all.is_free(1, 1));
  child::call_slots few{7};
  take(few, 1, 1, 6);
  EXPECT_TRUE(few.is_free(1, 1)) << "there are too few to share";
}

TEST(child_call_slots, nor_does_one_client_with_many_runs) {
  child::call_slots all{32};
  for (uint64_t run = 1; run <= 27; ++run)
    take(all, run, 1);
  EXPECT_TRUE(all.is_free(100, 1));
  take(all, 28, 1);
  EXPECT_FALSE(all.is_free(100, 1)) << "the others are for clients that have none";
  for (uint64_t client = 2; client <= 5; ++client) {
    EXPECT_TRUE(all.is_free(100 + client, client)) << client;
    take(all, 100 + client, client);
  }
  EXPECT_FALSE(all.is_free(200, 6));
  all.free(1, 1);
  EXPECT_TRUE(all.is_free(200, 6));
}

// ---- in turn ---------------------------------------------------------------------------------

struct calls_in_flight_test : calls_fixture {};

TEST_F(calls_in_flight_test, calls_that_are_never_answered_leave_the_server_to_other_runs) {
  auto calls = in_flight(32);
  for (uint64_t i = 1; i <= 300; ++i)
    calls.send_in_turn(make(1, i));
  EXPECT_EQ(sent.size(), 24u);
  calls.send_in_turn(make(2, 1));
  ASSERT_EQ(sent.size(), 25u) << "those of the first run wait, and not this one";
  EXPECT_TRUE(calls.answered({2, 1}, ok()));
  EXPECT_EQ(sent.size(), 25u) << "nor do they take its place";
  EXPECT_TRUE(calls.answered({1, 1}, ok()));
  EXPECT_EQ(sent.size(), 26u);
}

TEST_F(calls_in_flight_test, runs_of_calls_that_are_never_answered_leave_the_server_to_other_clients) {
  auto calls = in_flight(8);
  for (uint64_t run = 1; run <= 50; ++run)
    calls.send_in_turn(make(run, 1));
  EXPECT_EQ(sent.size(), 7u);
  for (uint64_t i = 1; i <= 3; ++i) {
    auto of_another = make(100, i);
    of_another.call.asker.client = 2;
    calls.send_in_turn(std::move(of_another));
    ASSERT_EQ(sent.size(), 7 + i) << "it does not wait";
    EXPECT_TRUE(calls.answered({100, i}, ok()));
  }
  calls.fail_sent({errc::server_died, "gone"});
  calls.send_waiting();
  EXPECT_EQ(sent.size(), 10u + 7u) << "what a call had that has failed is free";
}

TEST_F(calls_in_flight_test, so_many_are_sent_and_the_others_have_their_turn_run_by_run) {
  auto calls = in_flight(2);
  for (uint64_t i = 1; i <= 4; ++i)
    calls.send_in_turn(make(1, i));
  calls.send_in_turn(make(2, 1));
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(calls.size(), 5u);
  EXPECT_TRUE(calls.answered({1, 1}, ok()));
  EXPECT_TRUE(calls.answered({1, 2}, ok()));
  ASSERT_EQ(sent.size(), 4u);
  EXPECT_EQ(sent[2].key, (msg::call_key{1, 3}));
  EXPECT_EQ(sent[3].key, (msg::call_key{2, 1})) << "the other run does not wait for all of the first";
  EXPECT_TRUE(answer_of({1, 1}).ok());
  EXPECT_EQ(idle.left(now), 10min);
}

TEST_F(calls_in_flight_test, who_comes_later_does_not_overtake) {
  auto calls = in_flight(1);
  calls.send_in_turn(make(1, 1));
  calls.send_in_turn(make(1, 2));
  life.hung_up(); // so that nothing is sent when there is a slot
  calls.answered({1, 1}, ok());
  calls.send_in_turn(make(1, 3));
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(calls_in_flight_test, none_is_sent_while_a_list_is_reviewed) {
  auto calls = in_flight(2);
  auto list = review.told(std::chrono::milliseconds{0});
  calls.send_in_turn(make(1, 1));
  EXPECT_EQ(sent.size(), 0u);
  review.reviewed(list, std::vector<std::string>{"echo"}, now);
  calls.send_waiting();
  EXPECT_EQ(sent.size(), 0u);
  EXPECT_EQ(answer_of({1, 1}).error.code, errc::tool_changed) << "it has waited, and is held";
}

TEST_F(calls_in_flight_test, one_that_the_server_does_not_take_is_answered) {
  auto calls = in_flight(2);
  reads = false;
  calls.send_in_turn(make(1, 1));
  EXPECT_EQ(answer_of({1, 1}).error.code, errc::overloaded);
  EXPECT_EQ(answer_of({1, 1}).error.message, "server 'kid' does not read its requests; its queue is full");
  EXPECT_EQ(calls.size(), 0u);
}

// ---- what the server says --------------------------------------------------------------------

TEST_F(calls_in_flight_test, only_answers_of_the_server_itself_show_that_it_works) {
  restarts.died("before", now);
  EXPECT_EQ(restarts.breaker(now), msg::breaker_state::open);
  auto calls = in_flight(4);
  calls.send_in_turn(make(1, 1));
  calls.send_in_turn(make(1, 2));
  EXPECT_FALSE(calls.answered({1, 1}, msg::fault{errc::protocol_violation, "broken"}));
  EXPECT_EQ(restarts.breaker(now), msg::breaker_state::open);
  EXPECT_EQ(answer_of({1, 1}).error.tool, "echo");
  EXPECT_TRUE(calls.answered({1, 2}, msg::fault{errc::tool_failed, "no"}));
  EXPECT_EQ(restarts.breaker(now), msg::breaker_state::closed) << "what a tool says is no failure of the server";
  EXPECT_FALSE(calls.answered({1, 2}, ok())) << "it is answered once";
}

TEST_F(calls_in_flight_test, a_result_is_held_against_what_is_listed_now) {
  msg::tool_info add{
    "kid", "add", "", msg::document{boost::json::parse(R"({"outputSchema": {"required": ["sum"]}})")}, {}, "", false};
  tools.replace({add});
  auto calls = in_flight(4);
  auto answer = [&](uint64_t number) {
    auto open = make(1, number, "add");
    open.note = "a note";
    calls.send_in_turn(std::move(open));
    calls.answered({1, number}, msg::document{boost::json::parse(R"({"structuredContent": {}})")});
    return answer_of({1, number}).value.warning;
  };
  EXPECT_TRUE(answer(1).starts_with("a note; "));
  review.announced_change();
  EXPECT_EQ(answer(2), "a note") << "it may promise something else now";
}

TEST_F(calls_in_flight_test, progress_goes_to_who_asked_for_it) {
  auto calls = in_flight(4);
  int heard = 0;
  auto open = make(1, 1);
  open.progressed = [&](const msg::tool_progress&) { ++heard; };
  calls.send_in_turn(std::move(open));
  calls.send_in_turn(make(1, 2));
  for (uint64_t number : {1, 2, 3})
    if (auto* call = calls.sent({1, number}); call && call->progressed)
      call->progressed({{1, number}, 1, 0, ""});
  EXPECT_EQ(heard, 1);
}

TEST_F(calls_in_flight_test, lines_that_were_printed_meanwhile_are_forgotten_with_the_last_open_call) {
  auto calls = in_flight(4);
  calls.send_in_turn(make(1, 1));
  calls.send_in_turn(make(1, 2));
  lines.keep("noise");
  calls.answered({1, 1}, ok());
  EXPECT_EQ(lines.last(), "noise");
  calls.answered({1, 2}, ok());
  EXPECT_EQ(lines.last(), "");
}

// ---- the caller waits no longer --------------------------------------------------------------

TEST_F(calls_in_flight_test, one_that_is_cancelled_is_told_to_the_server_and_keeps_its_slot) {
  auto calls = in_flight(2);
  for (uint64_t i = 1; i <= 4; ++i)
    calls.send_in_turn(make(1, i));
  msg::fault unsent{errc::cancelled, "unsent"};
  calls.cancel({1, 4}, unsent);
  EXPECT_EQ(answer_of({1, 4}).error.message, "unsent") << "it waited";
  calls.cancel({1, 1}, unsent);
  EXPECT_EQ(answer_of({1, 1}).error.message, "server 'kid' was told that the call is cancelled");
  ASSERT_EQ(cancelled.size(), 1u);
  EXPECT_EQ(cancelled[0].second, "the run that made the call has ended");
  EXPECT_EQ(timers, (std::vector{std::pair{timer::kept_slots, std::chrono::milliseconds{child::given_up_slot_max}}}));
  EXPECT_EQ(sent.size(), 2u) << "it may still work on it";
  calls.done_with({1, 1});
  EXPECT_EQ(sent.size(), 3u);
}

TEST_F(calls_in_flight_test, a_slot_that_was_kept_for_long_enough_is_free) {
  auto calls = in_flight(2);
  for (uint64_t i = 1; i <= 3; ++i)
    calls.send_in_turn(make(1, i));
  calls.cancel({1, 1}, {});
  now += child::given_up_slot_max;
  calls.free_slots();
  EXPECT_EQ(sent.size(), 3u);
  EXPECT_TRUE(cancelled.empty()) << "the protocol forgets it too";
  EXPECT_EQ(timers.size(), 1u) << "no slot is kept any more";
}

TEST_F(calls_in_flight_test, nothing_of_a_run_is_sent_after_its_end_and_others_keep_their_turns) {
  auto calls = in_flight(2);
  calls.send_in_turn(make(1, 1));
  calls.send_in_turn(make(1, 2));
  unread.insert({1, 2});
  for (uint64_t i = 3; i <= 5; ++i)
    for (uint64_t run : {1, 2})
      calls.send_in_turn(make(run, i));
  calls.run_over(1, {errc::cancelled, msg::run_ended_unsent});
  EXPECT_EQ(answer_of({1, 1}).error.message, msg::run_ended_unanswered);
  for (uint64_t i = 2; i <= 5; ++i)
    EXPECT_EQ(answer_of({1, i}).error.message, msg::run_ended_unsent) << "also what the server has not begun to read";
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[2].key, (msg::call_key{2, 3}));
  EXPECT_EQ(calls.size(), 3u);
}

// ---- the time of a call ----------------------------------------------------------------------

TEST_F(calls_in_flight_test, one_that_takes_too_long_is_ended_and_says_what_may_be_the_cause) {
  auto calls = in_flight(1, 1'000);
  calls.send_in_turn(make(1, 1));
  EXPECT_EQ(timers, (std::vector{std::pair{timer::late_calls, 1'000ms}}));
  now += 600ms;
  EXPECT_FALSE(calls.end_late());
  EXPECT_EQ(timers.back(), (std::pair{timer::late_calls, 400ms}));
  now += 400ms;
  lines.keep("noise");
  unread_ms = 900;
  EXPECT_TRUE(calls.end_late());
  EXPECT_EQ(answer_of({1, 1}).error.code, errc::call_timeout);
  EXPECT_EQ(answer_of({1, 1}).error.message,
            "server 'kid' did not answer within 1000 ms (timeoutMs of its entry in /etc/servers.json); the server "
            "has not read its requests for 0.9 s; it printed: noise");
  EXPECT_EQ(cancelled.at(0).second, "it took too long");
  EXPECT_EQ(restarts.breaker(now), msg::breaker_state::open) << "it counts as a failure of the server";
  EXPECT_EQ(restarts.last_error(), answer_of({1, 1}).error.message);
}

TEST_F(calls_in_flight_test, one_timer_watches_all_and_time_begins_when_a_call_is_sent) {
  auto calls = in_flight(2, 1'000);
  calls.send_in_turn(make(1, 1));
  now += 600ms;
  for (uint64_t i = 2; i <= 3; ++i)
    calls.send_in_turn(make(1, i));
  EXPECT_EQ(timers.size(), 1u);
  now += 400ms;
  EXPECT_TRUE(calls.end_late());
  EXPECT_EQ(answers_to({1, 2}), 0u);
  EXPECT_EQ(timers.back(), (std::pair{timer::late_calls, 600ms}));
  now += 600ms;
  EXPECT_TRUE(calls.end_late());
  EXPECT_EQ(answers_to({1, 2}), 1u);
  EXPECT_EQ(answers_to({1, 3}), 0u) << "it had waited for a slot";
}

// ---- the end ---------------------------------------------------------------------------------

TEST_F(calls_in_flight_test, all_are_answered_at_the_end) {
  auto calls = in_flight(1);
  calls.send_in_turn(make(1, 1));
  calls.send_in_turn(make(1, 2));
  msg::fault why{errc::server_died, "gone"};
  calls.fail_queued(why);
  EXPECT_EQ(answers_to({1, 1}), 0u);
  EXPECT_EQ(answer_of({1, 2}).error.message, "gone");
  calls.fail_sent(why);
  EXPECT_EQ(answer_of({1, 1}).error.server, "kid");
  EXPECT_EQ(answer_of({1, 1}).error.tool, "echo");
  EXPECT_EQ(calls.size(), 0u);
}

TEST_F(calls_in_flight_test, another_process_has_all_slots_and_timers_of_its_own) {
  auto calls = in_flight(2, 1'000);
  calls.send_in_turn(make(1, 1));
  calls.cancel({1, 1}, {});
  calls.process_started();
  calls.send_in_turn(make(1, 2));
  calls.send_in_turn(make(1, 3));
  EXPECT_EQ(sent.size(), 3u);
  EXPECT_EQ(timers.back().first, timer::late_calls);
}

} // namespace child_calls_test
