#include "actors/child/call_intake.hpp"

#include "messages/limits.hpp"
#include "tests/unit/actors/child/calls_fixture.hpp"

#include <optional>

namespace child_calls_test {

namespace json = boost::json;

struct call_intake_test : calls_fixture {
  testing_support::put_off worker;
  child::calls_in_flight next = in_flight(100);
  std::vector<std::pair<msg::call_key, msg::fault>> told; ///< to the owner, who passes it on
  std::optional<child::call_intake> elsewhere;            ///< with a worker
  child::call_intake intake = made(nullptr);

  child::call_intake made(process::background_work offload) {
    return {
      "kid",
      std::move(offload),
      {life, review, tools, restarts},
      [this] { return [this](msg::call_key key, msg::fault problem) { told.emplace_back(key, std::move(problem)); }; },
      next};
  }
  void list(std::string_view schema) {
    msg::tool_info echo{"kid", "echo", "",   msg::document{json::object{{"inputSchema", json::parse(schema)}}},
                        {},    "",     false};
    tools.replace({echo});
  }
  child::open_call with(uint64_t number, json::object arguments, uint64_t run = 1) {
    auto open = make(run, number);
    open.call.arguments = msg::document{std::move(arguments)};
    return open;
  }
  /// The worker has something to do for these.
  void check_elsewhere() {
    elsewhere.emplace(made(worker));
    list(R"({"properties": {"n": {"type": "integer"}}, "required": ["n"]})");
  }
  void pass_on() {
    for (auto& [key, problem] : std::exchange(told, {}))
      elsewhere->checked(key, std::move(problem));
  }
};

// ---- waiting ---------------------------------------------------------------------------------

TEST_F(call_intake_test, what_comes_to_a_server_that_is_ready_is_sent) {
  intake.take(make(1, 1));
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_FALSE(intake.has_waiting());
  EXPECT_EQ(intake.open_calls(), 1u) << "wherever it is";
}

TEST_F(call_intake_test, what_comes_during_the_handshake_waits_in_order) {
  life.start(now);
  for (uint64_t i = 1; i <= 3; ++i)
    intake.take(make(1, i));
  EXPECT_TRUE(intake.has_waiting());
  EXPECT_EQ(sent.size(), 0u);
  life.became_ready();
  intake.release(now);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[2].key, (msg::call_key{1, 3}));
}

TEST_F(call_intake_test, what_comes_after_an_announced_change_waits_for_the_list_and_its_review) {
  review.announced_change();
  intake.take(make(1, 1));
  EXPECT_EQ(sent.size(), 0u);
  review.reads_again();
  review.was_read();
  auto list = review.told(std::chrono::milliseconds{0});
  intake.release(now);
  EXPECT_EQ(sent.size(), 0u) << "it is being reviewed";
  review.reviewed(list, std::vector<std::string>{}, now);
  intake.release(now);
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(call_intake_test, what_waited_is_held_against_what_was_said_meanwhile) {
  review.announced_change();
  intake.take(make(1, 1));
  review.reads_again();
  review.was_read();
  review.reviewed(review.told(std::chrono::milliseconds{0}), std::vector<std::string>{"echo"}, now);
  intake.release(now);
  EXPECT_EQ(answer_of({1, 1}).error.code, errc::tool_changed);
  EXPECT_EQ(sent.size(), 0u);
}

TEST_F(call_intake_test, so_many_may_be_open_and_no_more) {
  life.start(now);
  for (uint64_t i = 0; i < msg::limits::child_calls_max; ++i) {
    ASSERT_EQ(intake.refusal().code, errc::none);
    intake.take(make(1, i));
  }
  EXPECT_EQ(intake.refusal().code, errc::overloaded);
  EXPECT_EQ(intake.refusal().message, "server 'kid' has 10000 calls in flight, which is the limit");
}

// ---- checks ----------------------------------------------------------------------------------

TEST_F(call_intake_test, what_the_tool_does_not_take_never_reaches_the_server) {
  list(R"({"required": ["n"]})");
  intake.take(with(1, {}));
  EXPECT_EQ(answer_of({1, 1}).error.code, errc::invalid_argument);
  EXPECT_EQ(sent.size(), 0u);
  intake.take(with(2, {{"n", 1}}));
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(call_intake_test, others_than_tools_are_checked_by_nobody) {
  list(R"({"required": ["n"]})");
  auto open = make(1, 1);
  open.call.method = msg::child_method::get_prompt;
  intake.take(std::move(open));
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(call_intake_test, what_is_read_in_another_way_is_sent_so_and_said) {
  list(R"({"properties": {"n": {"type": "integer"}}})");
  intake.take(with(1, {{"n", "5"}}));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].arguments.text(), R"({"n":5})");
  next.answered({1, 1}, ok());
  EXPECT_NE(answer_of({1, 1}).value.warning.find("given as text"), std::string::npos);
}

TEST_F(call_intake_test, calls_of_a_run_to_one_tool_leave_in_the_order_in_which_they_came) {
  check_elsewhere();
  for (uint64_t i = 1; i <= 3; ++i)
    elsewhere->take(with(i, {{"n", i}}));
  elsewhere->take(with(1, {{"n", 1}}, 2)); // of another run
  worker.carry_out();
  ASSERT_EQ(told.size(), 4u);
  auto done = std::exchange(told, {});
  elsewhere->checked(done[2].first, {});
  elsewhere->checked(done[1].first, {});
  EXPECT_EQ(sent.size(), 0u);
  elsewhere->checked(done[3].first, {});
  EXPECT_EQ(sent.size(), 1u) << "no run waits for another one";
  elsewhere->checked(done[0].first, {});
  ASSERT_EQ(sent.size(), 4u);
  for (uint64_t i = 1; i <= 3; ++i)
    EXPECT_EQ(sent[i].key, (msg::call_key{1, i}));
}

TEST_F(call_intake_test, what_needs_no_check_does_not_overtake_what_is_checked) {
  check_elsewhere();
  elsewhere->take(with(1, {{"n", 1}}));
  worker.carry_out(); // the schema is ready now, and nobody has heard of it
  elsewhere->take(with(2, {{"n", 2}}));
  EXPECT_EQ(sent.size(), 0u);
  pass_on();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].key, (msg::call_key{1, 1}));
  elsewhere->take(with(3, {{"n", 3}}));
  EXPECT_EQ(sent.size(), 3u) << "there is nothing before it any more";
}

TEST_F(call_intake_test, one_that_is_cancelled_holds_nobody_up) {
  check_elsewhere();
  for (uint64_t i = 1; i <= 2; ++i)
    elsewhere->take(with(i, {{"n", i}}));
  worker.carry_out();
  auto done = std::exchange(told, {});
  elsewhere->checked(done[1].first, {});
  elsewhere->cancel({1, 1});
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].key, (msg::call_key{1, 2}));
}

TEST_F(call_intake_test, a_schema_is_compiled_by_another_thread) {
  check_elsewhere();
  elsewhere->take(with(1, {{"n", 1}}));
  elsewhere->take(with(2, {}));
  EXPECT_EQ(sent.size(), 0u);
  EXPECT_EQ(elsewhere->open_calls(), 2u);
  worker.carry_out();
  EXPECT_EQ(sent.size(), 0u) << "the owner is told, and that in its own time";
  pass_on();
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(answer_of({1, 2}).error.code, errc::invalid_argument);
}

TEST_F(call_intake_test, one_that_could_not_be_checked_says_why) {
  check_elsewhere();
  elsewhere->take(with(1, {{"n", 1}}));
  worker.all->front().done({errc::overloaded, "there is no memory for it"});
  pass_on();
  EXPECT_EQ(answer_of({1, 1}).error.message, "there is no memory for it");
  EXPECT_EQ(sent.size(), 0u);
}

TEST_F(call_intake_test, what_is_checked_when_the_server_is_gone_waits_only_if_that_comes_back) {
  for (auto gone : {&child::lifecycle::rests, &child::lifecycle::hung_up, &child::lifecycle::died}) {
    check_elsewhere();
    answers.clear();
    life.became_ready();
    elsewhere->take(with(1, {{"n", 1}}));
    (life.*gone)();
    worker.carry_out();
    pass_on();
    bool comes_back = life.is(child::stage::resting);
    EXPECT_EQ(elsewhere->has_waiting(), comes_back);
    EXPECT_EQ(answers_to({1, 1}), comes_back ? 0u : 1u);
    if (!comes_back)
      EXPECT_EQ(answer_of({1, 1}).error.message, "server 'kid' ended before the call was sent");
  }
  EXPECT_EQ(sent.size(), 0u);
}

// ---- the caller waits no longer --------------------------------------------------------------

TEST_F(call_intake_test, a_call_can_be_cancelled_wherever_it_is) {
  check_elsewhere();
  elsewhere->take(with(1, {{"n", 1}}));
  review.announced_change();
  elsewhere->take(with(2, {{"n", 1}}));
  next.send_in_turn(make(1, 3));
  for (uint64_t i = 1; i <= 4; ++i)
    elsewhere->cancel({1, i}); // the fourth was never there
  EXPECT_EQ(answer_of({1, 1}).error.message, "the call was cancelled before server 'kid' got it");
  EXPECT_EQ(answer_of({1, 2}).error.message, "the call was cancelled before server 'kid' got it");
  EXPECT_EQ(answer_of({1, 3}).error.message, "server 'kid' was told that the call is cancelled");
  worker.carry_out();
  pass_on();
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(answers_to({1, 1}), 1u);
  EXPECT_EQ(elsewhere->open_calls(), 0u);
}

TEST_F(call_intake_test, a_run_that_is_over_has_no_call_anywhere_and_others_have_theirs) {
  check_elsewhere();
  for (uint64_t run : {1, 2})
    elsewhere->take(with(1, {{"n", 1}}, run));
  review.announced_change();
  for (uint64_t run : {1, 2})
    elsewhere->take(with(2, {{"n", 1}}, run));
  for (uint64_t run : {1, 2})
    next.send_in_turn(make(run, 3));
  elsewhere->run_over(1);
  EXPECT_EQ(answer_of({1, 1}).error.message, msg::run_ended_unsent);
  EXPECT_EQ(answer_of({1, 2}).error.message, msg::run_ended_unsent);
  EXPECT_EQ(answer_of({1, 3}).error.message, msg::run_ended_unanswered);
  EXPECT_EQ(elsewhere->open_calls(), 3u);
  review.reads_again();
  review.was_read();
  worker.carry_out();
  pass_on();
  elsewhere->release(now);
  EXPECT_EQ(sent.size(), 4u);
  EXPECT_EQ(answers_to({2, 1}) + answers_to({2, 2}) + answers_to({2, 3}), 0u);
}

TEST_F(call_intake_test, a_call_that_is_not_made_leaves_the_trial_of_a_breaker_to_the_next) {
  restarts.died("before", now);
  now += 30s;
  EXPECT_EQ(restarts.may_be_called(now).code, errc::none);
  EXPECT_NE(restarts.may_be_called(now).code, errc::none);
  life.start(now);
  intake.take(make(1, 1));
  intake.cancel({1, 1});
  EXPECT_EQ(restarts.may_be_called(now).code, errc::none);
}

TEST_F(call_intake_test, all_that_were_not_sent_fail_together) {
  auto narrow = in_flight(1);
  child::call_intake first{
    "kid",
    worker,
    {life, review, tools, restarts},
    [this] { return [this](msg::call_key key, msg::fault problem) { told.emplace_back(key, std::move(problem)); }; },
    narrow};
  narrow.send_in_turn(make(1, 1));
  narrow.send_in_turn(make(1, 2));
  list(R"({"required": ["n"]})");
  first.take(with(3, {{"n", 1}}));
  life.start(now);
  first.take(make(1, 4));
  first.fail_all({errc::server_died, "gone"});
  EXPECT_EQ(answers_to({1, 1}), 0u) << "this one was";
  for (uint64_t i = 2; i <= 4; ++i)
    EXPECT_EQ(answer_of({1, i}).error.message, "gone");
  EXPECT_EQ(first.open_calls(), 1u);
}

} // namespace child_calls_test
