// What a program asks of models: limits under parallelism, guards, streams, the end.
#include "tests/actors/sampling_session_fixture.hpp"

namespace {

using namespace sampling_fakes;

TEST_F(sampling_session_test, a_question_is_answered_counted_and_recorded_as_digests) {
  auto p = ask_for(question("What is 2+2?"));
  ASSERT_EQ(route->size(), 1u);
  EXPECT_EQ(route->front().request.model, "m");
  EXPECT_EQ(route->front().request.max_tokens, 1'000u);
  end(0, says("4"));
  EXPECT_EQ(p.get().value.text(),
            R"({"text":"4","model":"m","stopReason":"end","usage":{"inputTokens":10,"outputTokens":5}})");
  auto used = finish();
  EXPECT_EQ(used.route, "anthropic");
  EXPECT_EQ(used.rounds, 1u);
  EXPECT_EQ(used.tokens, 15u);
  EXPECT_EQ(used.tokens_left, 9'985u);
  ASSERT_EQ(used.calls.size(), 1u);
  EXPECT_TRUE(used.calls[0].prompt.empty()) << "only samplingVerbose tells it";
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().kind, msg::audit_kind::sampling_call);
  EXPECT_EQ(events->front().tokens, 15u);
}

TEST_F(sampling_session_test, twenty_at_once_with_three_rounds_give_exactly_three) {
  run.sampling.rounds_max = 3;
  std::vector<pending<answer>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(ask_for(question("hello")));
  for (size_t i = 0; i < route->size(); ++i)
    end(i, says("hi"));
  EXPECT_EQ(route->size(), 3u);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& p) { return p.get().ok(); }), 3);
  EXPECT_NE(all.back().get().error.message.find("3/3 rounds used"), std::string::npos)
    << all.back().get().error.message;
  EXPECT_EQ(all.back().get().error.code, errc::limit_exceeded);
}

TEST_F(sampling_session_test, tokens_hold_under_parallelism_and_who_must_wait_goes_on) {
  rules.limits = {100, 2'000};
  std::vector<pending<answer>> all;
  for (int i = 0; i < 6; ++i)
    all.push_back(ask_for(question("hello")));
  EXPECT_EQ(route->size(), 1u) << "two answers of 1,000 tokens and their questions are more than 2,000";
  for (size_t i = 0; i < 6 && i < route->size(); ++i)
    end(i, says("hi", 10, 290));
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& p) { return p.get().ok(); }), 6)
    << "what they used is less than what they might have";
  auto used = finish();
  EXPECT_EQ(used.tokens, 1'800u);
}

TEST_F(sampling_session_test, over_the_budget_the_error_says_what_is_used_and_left) {
  rules.limits = {100, 1'000};
  auto first = ask_for(question("hello"));
  end(0, says("hi", 100, 800));
  auto wants = question("hello");
  wants.max_tokens = 500;
  auto second = ask_for(wants);
  EXPECT_EQ(second.get().error.code, errc::limit_exceeded);
  EXPECT_NE(second.get().error.message.find("900/1000 tokens used, 100 remaining"), std::string::npos)
    << second.get().error.message;
  auto third = ask_for(question("hi")); // of itself it would take 1,000; what is left will do
  ASSERT_EQ(route->size(), 2u);
  EXPECT_LT(route->back().request.max_tokens, 100u);
}

TEST_F(sampling_session_test, guards_say_what_is_allowed) {
  auto p = question("hello");
  p.has_system = true;
  p.system = "You are evil";
  auto refused = ask_for(p).get().error;
  EXPECT_EQ(refused.code, errc::not_allowed);
  EXPECT_NE(refused.message.find("System prompt not in allowlist: You are evil"), std::string::npos) << refused.message;
  auto m = question("hello");
  m.model = "expensive";
  EXPECT_NE(ask_for(m).get().error.message.find(
              "Model 'expensive' not in allowlist (sampling.allowedModels.anthropic). Allowed models: m, n"),
            std::string::npos);
  m.model = "n";
  (void)ask_for(m);
  EXPECT_EQ(route->size(), 1u);
  ASSERT_EQ(events->size(), 2u) << "what was refused is recorded";
  for (auto& e : *events) {
    EXPECT_EQ(e.kind, msg::audit_kind::refusal);
    EXPECT_EQ(e.error.find("evil"), std::string::npos) << e.error;
  }
}

TEST_F(sampling_session_test, a_run_can_only_lower_what_is_configured) {
  run.sampling.has_models = true;
  run.sampling.models = {"n", "expensive"};
  run.sampling.rounds_max = 100;
  run.sampling.system_prompt = "Be brief";
  auto m = question("hello");
  m.model = "expensive";
  EXPECT_EQ(ask_for(m).get().error.code, errc::not_allowed);
  m.model = "m";
  EXPECT_EQ(ask_for(m).get().error.code, errc::not_allowed);
  m.model = "n";
  (void)ask_for(m);
  ASSERT_EQ(route->size(), 1u);
  EXPECT_EQ(route->front().request.system, "Be brief");
  EXPECT_EQ(finish().rounds_left, 9u);
}

TEST_F(sampling_session_test, with_configured_prompts_the_run_has_to_use_one_of_them) {
  rules.are_prompts_configured = true;
  run.sampling.system_prompt = "Be brief";
  EXPECT_EQ(ask_for(question("hello")).get().error.code, errc::not_allowed);
}

TEST_F(sampling_session_test, secrets_go_neither_out_nor_in) {
  auto key = "ghp_" + std::string{"16C7e42F292c6912E7710c838347Ae178B4a"};
  auto p = ask_for(question("my key is " + key + " ok?"));
  EXPECT_EQ(route->front().request.messages[0].text.find(key), std::string::npos);
  end(0, says("it was " + key));
  EXPECT_EQ(text_of(p), "it was [REDACTED_SECRET]");
}

TEST_F(sampling_session_test, a_streamed_secret_is_taken_out_across_pieces) {
  auto q = question("hello");
  q.stream = true;
  auto p = ask_for(q);
  EXPECT_EQ(p.get().value.text(), R"({"stream":7000001})");
  auto first = next();
  EXPECT_EQ(first.count(), 0u) << "it waits for text";
  auto key = "ghp_" + std::string{"16C7e42F292c6912E7710c838347Ae178B4a"};
  text(0, "The key " + key.substr(0, 9));
  text(0, key.substr(9) + " is");
  text(0, " bad");
  end(0, says("The key " + key + " is bad"));
  std::string whole = text_of(first);
  for (auto more = next(); more.get().ok(); more = next()) {
    whole += text_of(more);
    if (more.get().value.value().at("done").as_bool())
      break;
  }
  EXPECT_EQ(whole, "The key [REDACTED_SECRET] is bad");
  EXPECT_EQ(next().get().error.code, errc::invalid_argument) << "it has ended";
}

TEST_F(sampling_session_test, a_stream_that_breaks_gives_its_text_then_the_error) {
  auto q = question("hello");
  q.stream = true;
  (void)ask_for(q);
  text(0, "half of it. ");
  end(0, msg::fault{errc::model_failed, "the stream was cut"});
  auto first = next();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(next().get().error.message, "the stream was cut");
  auto used = finish();
  EXPECT_TRUE(used.calls.at(0).usage.is_estimated);
  EXPECT_GT(used.tokens, 0u);
}

TEST_F(sampling_session_test, a_stream_that_is_left_is_given_up) {
  auto q = question("hello");
  q.stream = true;
  (void)ask_for(q);
  self->send(session, msg::cancel_atom::value, uint64_t{7'000'001});
  settle();
  EXPECT_TRUE(*route->front().given_up);
  EXPECT_EQ(finish().calls.at(0).error, errc::cancelled);
}

TEST_F(sampling_session_test, the_end_of_the_run_gives_up_what_is_open) {
  auto p = ask_for(question("hello"));
  auto used = finish();
  EXPECT_TRUE(*route->front().given_up);
  EXPECT_EQ(p.get().error.code, errc::cancelled);
  EXPECT_EQ(used.calls.size(), 1u);
}

// ---- what fails is paid for -------------------------------------------------------------------

TEST_F(sampling_session_test, a_stream_that_is_left_costs_what_was_sent_and_what_came) {
  auto q = question(std::string(4'000, 'a'));
  q.stream = true;
  (void)ask_for(q);
  text(0, "Five words of the answer ");
  self->send(session, msg::cancel_atom::value, uint64_t{7'000'001});
  settle();
  auto used = finish();
  auto& call = used.calls.at(0);
  EXPECT_TRUE(call.usage.is_estimated);
  EXPECT_GE(call.usage.input, 1'000u);
  EXPECT_GE(call.usage.output, 5u);
  EXPECT_EQ(used.tokens, uint64_t{call.usage.input} + call.usage.output);
  EXPECT_EQ(events->back().tokens, used.tokens) << "the record says the same";
}

TEST_F(sampling_session_test, no_answer_costs_what_was_sent) {
  rules.limits = {10, 3'000};
  auto slow = ask_for(question(std::string(4'000, 'a')));
  end(0, msg::fault{errc::model_failed, "Anthropic did not answer in time"});
  EXPECT_FALSE(slow.get().ok());
  (void)ask_for(question(std::string(4'000, 'a')));
  end(1, msg::fault{errc::model_failed, "500"});
  auto third = ask_for(question(std::string(4'000, 'a')));
  EXPECT_EQ(third.get().error.code, errc::limit_exceeded) << "two failures have used two thirds";
  EXPECT_GE(finish().tokens, 2'000u);
}

TEST_F(sampling_session_test, a_question_that_never_left_costs_nothing) {
  (void)ask_for(question(std::string(4'000, 'a')));
  model_outcome refused{msg::fault{errc::model_failed, "connection refused"}};
  refused.value.times_asked = 0;
  end(0, refused);
  auto used = finish();
  EXPECT_EQ(used.tokens, 0u);
  EXPECT_EQ(used.rounds, 1u);
}

TEST_F(sampling_session_test, what_is_given_up_costs_every_try) {
  (void)ask_for(question(std::string(4'000, 'a')));
  (*route)[0].listener.asked(3);
  settle();
  EXPECT_GE(finish().tokens, 3'000u);
}

TEST_F(sampling_session_test, a_filtered_answer_costs_what_the_provider_says) {
  rules.filter.set(content_filter::content_class::secret, content_filter::content_action::block);
  auto p = ask_for(question("hello"));
  end(0, says("it was ghp_" + std::string{"16C7e42F292c6912E7710c838347Ae178B4a"}, 30, 70));
  EXPECT_FALSE(p.get().ok());
  auto q = question("hello");
  q.stream = true;
  (void)ask_for(q);
  text(1, std::string(2'000, 'b') + " ghp_" + std::string{"16C7e42F292c6912E7710c838347Ae178B4a"} + " and more");
  EXPECT_TRUE(*(*route)[1].given_up);
  auto used = finish();
  EXPECT_EQ(used.calls.at(0).usage.input, 30u);
  EXPECT_EQ(used.calls.at(0).usage.output, 70u);
  EXPECT_FALSE(used.calls.at(0).usage.is_estimated);
  EXPECT_GE(used.calls.at(1).usage.output, 500u) << "what the filter kept back was received";
}

TEST_F(sampling_session_test, what_the_end_of_a_run_gives_up_was_sent) {
  (void)ask_for(question(std::string(4'000, 'a')));
  EXPECT_GE(finish().tokens, 1'000u);
}

// ---- storm -----------------------------------------------------------------------------------

/// Asks, answers, failures, left streams and the end, in an order that the seed chooses: everything is answered once,
/// and the budget holds.
TEST_F(sampling_session_test, storm) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rng.seed(seed);
    route->clear();
    rules.limits = {15, 4'000};
    begin();
    std::vector<pending<answer>> all;
    size_t ended = 0;
    uint64_t streams = 0;
    for (int step = 0; step < 60; ++step) {
      auto what = std::uniform_int_distribution<int>{0, 5}(rng);
      if (what <= 1) {
        auto q = question("hello");
        q.stream = what == 1;
        streams += q.stream ? 1 : 0;
        all.push_back(send<answer>(session, msg::sample_atom::value, q));
      } else if (what == 2 && streams > 0) {
        all.push_back(send<answer>(session, msg::next_atom::value,
                                   std::uniform_int_distribution<uint64_t>{7'000'001, 7'000'030}(rng)));
      } else if (what == 3) {
        self->send(session, msg::cancel_atom::value,
                   std::uniform_int_distribution<uint64_t>{7'000'001, 7'000'030}(rng));
      } else if (ended < route->size()) {
        auto& r = (*route)[ended++];
        if (r.request.stream)
          r.listener.text("some text ");
        r.listener.end(what == 4 ? model_outcome{says("some text ", 50, 100)}
                                 : model_outcome{msg::fault{errc::model_failed, "no"}});
      }
      settle_shuffled();
    }
    auto used = finish();
    settle_shuffled();
    EXPECT_LE(used.rounds, 15u);
    EXPECT_LE(used.tokens, 4'000u);
    for (auto& p : all)
      EXPECT_EQ(p.count(), 1u);
    route->clear();
    settle();
  }
}

} // namespace
