// The body of a provider's answer: what is much is read elsewhere, in its order, and waits with its sender meanwhile;
// and what it costs, whatever it is.
#include "sampling/provider.hpp"
#include "tests/actors/provider_request_fixture.hpp"

namespace provider_stream_test_cases {

using namespace provider_request_tests;

const std::string last_event = R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
                               "\n\ndata: [DONE]\n\n";

struct provider_stream_test : provider_request_fixture {
  put_off elsewhere;
  provider_stream_test() { offload = elsewhere; }

  void receive_all(size_t number, std::string_view bytes, uint16_t status = 200) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size())))
      receive(number, status, std::string{bytes.substr(0, piece_bytes)});
  }
  /// Until nothing waits.
  size_t carry_out_all() {
    size_t out = 0;
    for (size_t n = 1; n > 0; settle())
      out += n = elsewhere.carry_out();
    return out;
  }
  bool says(const std::string& part) const { return answers.at(0).error.message.find(part) != std::string::npos; }
};

TEST_F(provider_stream_test, little_is_read_at_once) {
  ask(true);
  receive(0, 200, streamed("hello"));
  EXPECT_EQ(text, "hello");
  EXPECT_TRUE(elsewhere.all->empty());
}

TEST_F(provider_stream_test, what_comes_faster_than_a_model_writes_is_read_elsewhere) {
  ask(true);
  receive(0, 200, std::string(4'000, '\n') + streamed("hello"));
  EXPECT_EQ(text, "hello");
  receive(0, 200, std::string(5'000, '\n') + streamed(" you"));
  EXPECT_EQ(text, "hello") << "5,000 empty lines take as long as an event of 100 kB";
  carry_out_all();
  EXPECT_EQ(text, "hello you");
}

TEST_F(provider_stream_test, a_long_event_is_read_elsewhere_and_all_that_follows_waits_for_it) {
  ask(true);
  std::string long_event = streamed("first");
  long_event.insert(long_event.size() - 3, R"(,"x":[)" + std::string(30'000, ' ') + "]");
  receive_all(0, long_event);
  receive(0, 200, streamed(" second"));
  end(0, answered(200, ""));
  EXPECT_EQ(text, "");
  EXPECT_TRUE(answers.empty());
  carry_out_all();
  EXPECT_EQ(text, "first second");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(says("before the answer was complete"));
}

TEST_F(provider_stream_test, the_last_bytes_of_a_long_event_are_no_little_work) {
  ask(true);
  std::string long_event = streamed("first");
  long_event.insert(long_event.size() - 3, R"(,"x":[)" + std::string(100'000, ' ') + "]");
  receive_all(0, long_event.substr(0, long_event.size() - 10));
  carry_out_all();
  receive(0, 200, long_event.substr(long_event.size() - 10));
  EXPECT_EQ(text, "") << "a few bytes end an event of 100 kB, which is parsed now";
  EXPECT_EQ(carry_out_all(), 1u);
  EXPECT_EQ(text, "first");
}

TEST_F(provider_stream_test, many_short_events_are_read_elsewhere_as_well) {
  ask(true);
  std::string many, expected;
  for (int i = 0; i < 1'000; ++i) {
    many += streamed(std::to_string(i));
    expected += std::to_string(i);
  }
  receive_all(0, many + last_event);
  EXPECT_LT(text.size(), expected.size());
  end(0, answered(200, ""));
  carry_out_all();
  EXPECT_EQ(text, expected);
  EXPECT_TRUE(answers.at(0).ok());
}

TEST_F(provider_stream_test, what_is_not_read_waits_with_its_sender) {
  ask(true);
  std::string event = streamed(std::string(20'000, 'x'));
  size_t sent = 0;
  for (; !requests[0]->is_held && sent < 10u << 20; sent += event.size())
    receive(0, 200, event);
  EXPECT_TRUE(requests[0]->is_held);
  EXPECT_LE(sent, sampling::unread_body_bytes_max + 2 * event.size());
  carry_out_all();
  EXPECT_FALSE(requests[0]->is_held) << "all of it was read";
  receive(0, 200, last_event);
  end(0, answered(200, ""));
  carry_out_all();
  EXPECT_TRUE(answers.at(0).ok());
}

TEST_F(provider_stream_test, a_refusal_in_the_place_of_a_stream_is_not_held) {
  ask(true, 1);
  receive_all(0, std::string(2u << 20, ' '), 400);
  EXPECT_FALSE(requests[0]->is_held);
  end(0, answered(400, ""));
  carry_out_all();
  EXPECT_TRUE(says("HTTP 400"));
}

TEST_F(provider_stream_test, one_that_can_not_be_read_is_given_up) {
  ask(true);
  receive_all(0, streamed(std::string(100'000, 'x')));
  elsewhere.all->at(0).done({errc::limit_exceeded, "no memory"});
  settle();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, errc::limit_exceeded);
  EXPECT_EQ(answers[0].value.times_asked, 1u);
  EXPECT_TRUE(requests[0]->is_cancelled);
}

TEST_F(provider_stream_test, one_that_is_left_while_it_is_read_says_nothing_more) {
  ask(true);
  receive_all(0, streamed(std::string(100'000, 'x')));
  caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(requests[0]->is_cancelled);
  carry_out_all();
  EXPECT_EQ(text, "");
  EXPECT_TRUE(answers.empty());
}

TEST_F(provider_stream_test, a_stream_that_was_complete_is_an_answer_however_its_connection_ends) {
  ask(true);
  receive(0, 200, streamed("hello") + last_event);
  end(0, failed(http::client_failure::timeout, 200));
  EXPECT_TRUE(answers.at(0).ok()) << answers.at(0).error.message;
}

// ---- whole bodies ------------------------------------------------------------------------------

struct provider_body_test : provider_stream_test {
  static std::string answer_of(size_t bytes) {
    return R"({"choices":[{"message":{"content":")" + std::string(bytes, 'x') + R"("},"finish_reason":"stop"}]})";
  }
};

TEST_F(provider_body_test, few_large_ones_of_a_run_come_at_once_and_the_others_wait_with_their_sender) {
  for (int i = 0; i < 5; ++i)
    ask();
  for (size_t i = 0; i < 5; ++i)
    receive_all(i, std::string(1u << 20, ' '));
  auto is_held = [this](size_t i) { return requests[i]->is_held; };
  EXPECT_EQ((std::vector{is_held(0), is_held(1), is_held(2), is_held(3), is_held(4)}),
            (std::vector{false, false, true, true, true}));
  end(0, answered(200, answer_of(100)));
  carry_out_all();
  EXPECT_TRUE(answers.at(0).ok()) << answers[0].error.message;
  EXPECT_TRUE(is_held(2)) << "the answer is still held: it is looked through and given to the program";
  places[0]->leave();
  EXPECT_FALSE(is_held(2));
  EXPECT_TRUE(is_held(3));
  end(1, answered(500, ""));
  carry_out_all();
  EXPECT_FALSE(is_held(3)) << "it is tried again, and that try has nothing yet";
  EXPECT_TRUE(is_held(4));
  places[2]->leave();
  EXPECT_FALSE(is_held(4));
}

TEST_F(provider_body_test, small_ones_never_wait) {
  for (int i = 0; i < 20; ++i)
    ask();
  for (size_t i = 0; i < 20; ++i) {
    receive_all(i, std::string(sampling::small_body_bytes_max, ' '));
    EXPECT_FALSE(requests[i]->is_held);
  }
}

TEST_F(provider_body_test, one_that_waits_and_is_given_up_takes_no_turn) {
  for (int i = 0; i < 4; ++i)
    ask();
  for (size_t i = 0; i < 4; ++i)
    receive_all(i, std::string(1u << 20, ' '));
  places[2]->leave();
  places[0]->leave();
  EXPECT_TRUE(requests[2]->is_held);
  EXPECT_FALSE(requests[3]->is_held);
}

TEST_F(provider_body_test, what_comes_is_counted_until_it_is_settled) {
  ask();
  receive_all(0, std::string(3u << 20, ' '));
  EXPECT_EQ(held.back(), 3u << 20);
  end(0, answered(200, answer_of(2u << 20)));
  EXPECT_GE(held.back(), 5u << 20);
  carry_out_all();
  EXPECT_EQ(answers.at(0).value.text.size(), 2u << 20);
  EXPECT_LT(held.back(), 3u << 20) << "the body is gone, its text is there";
  places[0]->leave();
  EXPECT_EQ(held.back(), 0u);
}

TEST_F(provider_body_test, of_a_stream_what_is_kept_is_counted) {
  ask(true);
  for (int i = 0; i < 30; ++i)
    receive(0, 200, streamed(std::string(100'000, 'x')));
  carry_out_all();
  EXPECT_GE(held.back(), 2u << 20);
  places[0]->leave();
  EXPECT_EQ(held.back(), 0u);
}

TEST_F(provider_body_test, without_memory_for_it_says_so_and_is_not_tried_again) {
  ask();
  receive_all(0, std::string(1u << 20, ' '));
  end(0, failed(http::client_failure::no_memory, 200));
  carry_out_all();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, errc::limit_exceeded);
  EXPECT_TRUE(says("process.dataMb")) << answers[0].error.message;
  EXPECT_EQ(requests.size(), 1u);
}

// ---- what is too large, or not what was asked for ---------------------------------------------

struct provider_odd_answer_test : provider_stream_test {
  static http::client_result too_large(uint16_t status, std::string body) {
    auto out = failed(http::client_failure::too_large, status);
    out.body = std::move(body);
    return out;
  }
  uint32_t output() const { return answers.at(0).value.usage.output; }
};

TEST_F(provider_odd_answer_test, too_much_says_what_to_do_and_costs_what_came) {
  ask();
  end(0, too_large(200, std::string(3'000'000, 'x')));
  carry_out_all();
  EXPECT_TRUE(says("OpenAI answered with more than 8 MiB; ask for a shorter answer (maxTokens)"))
    << answers.at(0).error.message;
  EXPECT_FALSE(says("sampling.baseUrl"));
  EXPECT_EQ(output(), 1'000'000u);
  EXPECT_TRUE(answers[0].value.usage.is_estimated);
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(provider_odd_answer_test, too_long_a_refusal_is_one_with_its_status) {
  ask(false, 2);
  end(0, too_large(500, R"({"error":{"message":"it broke )" + std::string(3'000'000, 'x')));
  carry_out_all();
  advance(10s);
  ASSERT_EQ(requests.size(), 2u) << "it is tried again";
  end(1, too_large(401, "no key " + std::string(3'000'000, 'x')));
  carry_out_all();
  EXPECT_TRUE(says("did not accept the key (HTTP 401")) << answers.at(0).error.message;
  EXPECT_EQ(output(), 0u) << "no model has made it";
}

TEST_F(provider_odd_answer_test, the_same_of_streams) {
  ask(true, 2);
  receive_all(0, std::string(1'000'000, 'x'), 503);
  end(0, too_large(503, ""));
  carry_out_all();
  advance(10s);
  ASSERT_EQ(requests.size(), 2u);
  receive_all(1, "data: {\"x\":\"" + std::string(3'000'000, 'x'));
  carry_out_all();
  end(1, too_large(200, ""));
  carry_out_all();
  EXPECT_TRUE(says("an event of more than 1 MiB")) << answers.at(0).error.message;
  EXPECT_GE(output(), 1'000'000u);
}

TEST_F(provider_odd_answer_test, a_head_that_is_too_large_is_no_answer) {
  ask();
  end(0, failed(http::client_failure::too_large, 0));
  EXPECT_TRUE(says("could not be asked"));
}

TEST_F(provider_odd_answer_test, a_stream_that_nobody_asked_for_costs_what_came) {
  ask();
  end(0, answered(200, streamed(std::string(3'000, 'x'))));
  EXPECT_TRUE(says("what is no answer"));
  EXPECT_GE(output(), 1'000u);
}

TEST_F(provider_odd_answer_test, no_stream_where_one_was_asked_for_costs_what_came) {
  ask(true);
  receive_all(0, R"({"choices":[{"message":{"content":")" + std::string(30'000, 'x'));
  end(0, failed(http::client_failure::cut, 200));
  carry_out_all();
  EXPECT_FALSE(answers.at(0).ok());
  EXPECT_GE(output(), 10'000u);
}

TEST_F(provider_odd_answer_test, what_the_provider_tells_is_not_estimated) {
  ask();
  end(0, answered(200, R"({"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"","arguments":"[1]"}}]},)"
                       R"("finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})"));
  EXPECT_FALSE(answers.at(0).ok());
  EXPECT_EQ(output(), 2u);
  EXPECT_FALSE(answers[0].value.usage.is_estimated);
}

// ---- tries -----------------------------------------------------------------------------------

struct provider_tries_test : provider_request_fixture {};

TEST_F(provider_tries_test, that_were_read_are_counted_and_all_are_told) {
  ask();
  end(0, answered(500, "{}"));
  advance(10s);
  end(1, failed(http::client_failure::connect, 0, false));
  advance(10s);
  end(2, failed(http::client_failure::cut));
  advance(10s);
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(times_asked, (std::vector<uint32_t>{1, 2, 1, 2, 2, 3}))
    << "in the pauses, and with the next one on its way";
  end(3, failed(http::client_failure::cut, 0, false));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.times_asked, 2u) << "the last one was cut while it was sent";
  EXPECT_TRUE(answers[0].error.message.ends_with(" Tried 4 times.")) << answers[0].error.message;
}

TEST_F(provider_tries_test, that_were_refused_as_too_many_cost_nothing) {
  ask(false, 2);
  end(0, answered(429, "{}"));
  advance(10s);
  end(1, answered(200, good_answer));
  EXPECT_EQ(answers.at(0).value.times_asked, 1u);
  EXPECT_TRUE(answers[0].error.message.empty());
}

TEST_F(provider_tries_test, a_question_that_could_not_be_sent_costs_nothing) {
  can_send = false;
  ask();
  EXPECT_EQ(answers.at(0).value.times_asked, 0u);
}

} // namespace provider_stream_test_cases
