// One question to a provider: how often it is sent, when, and what its session hears of it.
#include "tests/actors/provider_request_fixture.hpp"

namespace provider_request_test_cases {

using namespace provider_request_tests;

struct provider_request_test : provider_request_fixture {};

TEST_F(provider_request_test, is_sent_with_the_key_and_answered_once) {
  ask();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0]->sent.method, "POST");
  EXPECT_EQ(http::find_header(requests[0]->sent.fields, "authorization"), "Bearer plain-local-key-9f");
  EXPECT_TRUE(answers.empty());
  end(0, answered(200, good_answer));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.text, "hello");
  EXPECT_EQ(answers[0].value.usage.output, 2u);
}

TEST_F(provider_request_test, waits_as_long_as_the_provider_asks_for) {
  ask();
  end(0, answered(429, "{}", {{"retry-after", "3"}}));
  advance(2999ms);
  EXPECT_EQ(requests.size(), 1u);
  advance(1ms);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1]->sent.total_timeout, 27s) << "one time limit for all tries";
  end(1, answered(200, good_answer));
  EXPECT_TRUE(answers.at(0).ok());
}

TEST_F(provider_request_test, gives_up_after_its_tries) {
  ask(false, 2);
  end(0, failed(http::client_failure::connect, 0, false));
  advance(10s);
  ASSERT_EQ(requests.size(), 2u);
  end(1, failed(http::client_failure::connect, 0, false));
  advance(30s);
  EXPECT_EQ(requests.size(), 2u);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_FALSE(answers[0].ok());
  EXPECT_EQ(answers[0].value.times_asked, 0u) << "nothing was used";
}

TEST_F(provider_request_test, what_has_given_text_is_not_asked_again) {
  ask(true);
  receive(0, 200, streamed("hel"));
  receive(0, 200, streamed("lo"));
  EXPECT_EQ(text, "hello");
  end(0, failed(http::client_failure::cut, 200));
  advance(30s);
  EXPECT_EQ(requests.size(), 1u);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_FALSE(answers[0].ok()) << "a stream that was cut";
  EXPECT_EQ(answers[0].value.times_asked, 1u);
}

TEST_F(provider_request_test, the_error_of_a_stream_is_read_like_any_other_and_what_comes_late_of_a_try_is_dropped) {
  ask(true);
  receive(0, 503, R"({"error":{"message":"too busy"}})");
  end(0, answered(503, ""));
  advance(10s);
  ASSERT_EQ(requests.size(), 2u);
  receive(0, 200, streamed("of the first try"));
  end(0, answered(200, ""));
  EXPECT_TRUE(text.empty());
  EXPECT_TRUE(answers.empty());
  receive(1, 200, streamed("second") + "data: [DONE]\n\n");
  end(1, answered(200, ""));
  EXPECT_EQ(text, "second");
  ASSERT_EQ(answers.size(), 1u);
}

TEST_F(provider_request_test, an_answer_that_is_no_stream_is_given_as_one_piece) {
  ask(true);
  receive(0, 200, good_answer);
  EXPECT_EQ(text, "");
  end(0, answered(200, ""));
  EXPECT_EQ(text, "hello");
  EXPECT_TRUE(answers.at(0).ok());
}

TEST_F(provider_request_test, a_large_answer_is_read_elsewhere) {
  put_off elsewhere;
  offload = elsewhere;
  std::string large(100'000, 'x');
  ask();
  end(0, answered(200, R"({"choices":[{"message":{"content":")" + large + R"("},"finish_reason":"stop"}]})"));
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(elsewhere.carry_out(), 1u);
  settle();
  EXPECT_EQ(answers.at(0).value.text, large);

  ask();
  end(1, answered(500, "{\"error\":\"" + large + "\"}"));
  EXPECT_EQ(elsewhere.carry_out(), 1u);
  settle();
  advance(10s);
  ASSERT_EQ(requests.size(), 3u) << "it is tried again";
  end(2, answered(200, "[" + large));
  elsewhere.all->at(0).done({errc::limit_exceeded, "no memory"});
  elsewhere.all->clear();
  settle();
  EXPECT_FALSE(answers.at(1).ok());
  EXPECT_NE(answers.at(1).error.message.find("no memory"), std::string::npos) << answers.at(1).error.message;
}

TEST_F(provider_request_test, one_that_is_given_up_while_it_is_read_says_nothing_more) {
  put_off elsewhere;
  offload = elsewhere;
  ask();
  end(0, answered(200, std::string(100'000, 'x')));
  caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
  settle();
  elsewhere.carry_out();
  settle();
  EXPECT_TRUE(answers.empty());
}

TEST_F(provider_request_test, the_key_is_told_to_no_program) {
  ask(false, 1);
  end(0, answered(401, R"({"error":{"message":"Incorrect key: plain-local-key-9f"}})"));
  EXPECT_EQ(answers.at(0).error.message.find("plain-local-key-9f"), std::string::npos) << answers.at(0).error.message;
  actor = nullptr;
  ask(true);
  receive(1, 200,
          R"(data: {"model":"plain-local-key-9f","choices":[{"index":0,"delta":{"content":"plain-local-key-9f!"}}]})"
          "\n\ndata: [DONE]\n\n");
  end(1, answered(200, ""));
  EXPECT_EQ(text, "***!");
  EXPECT_EQ(answers.at(1).value.model, "***");
}

TEST_F(provider_request_test, one_that_is_given_up_cancels_its_request_and_says_nothing_more) {
  ask();
  caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(requests.at(0)->is_cancelled);
  end(0, failed(http::client_failure::cancelled));
  EXPECT_TRUE(answers.empty());
}

TEST_F(provider_request_test, one_that_is_given_up_in_a_pause_sends_nothing_more) {
  ask();
  end(0, answered(500, "{}"));
  caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
  advance(30s);
  EXPECT_EQ(requests.size(), 1u);
  EXPECT_TRUE(answers.empty());
}

TEST_F(provider_request_test, a_mistake_of_ours_is_an_answer) {
  can_send = false;
  ask();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_FALSE(answers[0].ok());
}

} // namespace provider_request_test_cases
