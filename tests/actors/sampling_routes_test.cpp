// Tools that a model wants, and the client's own model.
#include "tests/actors/sampling_session_fixture.hpp"

namespace {

using namespace sampling_fakes;

// ---- tools -----------------------------------------------------------------------------------

struct sampling_with_tools : sampling_session_test {
  sampling_with_tools() {
    msg::tool_info t;
    t.server = "fs";
    t.name = "read file";
    t.definition =
      test::doc(R"({"name":"read file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}})");
    tools->tools = {t};
  }
  static msg::model_answer wants(std::string name) {
    auto a = says("");
    a.stop = msg::stop_reason::tool_use;
    a.uses.push_back({"use_1", std::move(name), test::doc(R"({"path":"/a"})"), {}});
    return a;
  }
  pending<answer> think() {
    auto q = question("read it");
    q.tools = {"mcp__fs__*"};
    return ask_for(q);
  }
};

TEST_F(sampling_with_tools, the_model_may_call_them_and_answers_with_what_came_of_it) {
  auto p = think();
  EXPECT_EQ(tools->patterns, std::vector<std::string>{"mcp__fs__*"});
  ASSERT_EQ(route->size(), 1u);
  EXPECT_EQ(route->front().request.tools.at(0).name, "mcp__fs__read_file");
  end(0, wants("mcp__fs__read_file"));
  ASSERT_EQ(tools->calls.size(), 1u);
  EXPECT_EQ(tools->calls[0].first.tool, "read file");
  ASSERT_EQ(route->size(), 2u);
  auto& again = route->back().request.messages;
  ASSERT_EQ(again.size(), 3u);
  EXPECT_EQ(again[1].uses.at(0).id, "use_1");
  EXPECT_EQ(again[2].answers.at(0).text, R"({"rows":3})");
  end(1, says("three rows"));
  EXPECT_EQ(text_of(p), "three rows");
  EXPECT_EQ(finish().rounds, 2u);
}

TEST_F(sampling_with_tools, what_was_not_offered_is_not_called) {
  auto p = think();
  end(0, wants("mcp__fs__delete"));
  EXPECT_TRUE(tools->calls.empty());
  EXPECT_TRUE(route->back().request.messages.back().answers.at(0).is_error);
  end(1, says("sorry"));
  EXPECT_EQ(text_of(p), "sorry");
}

TEST_F(sampling_with_tools, a_refusal_goes_to_the_model) {
  tools->result = msg::fault{errc::not_allowed, "tool not allowed"};
  (void)think();
  end(0, wants("mcp__fs__read_file"));
  EXPECT_EQ(route->back().request.messages.back().answers.at(0).text, "tool not allowed");
}

TEST_F(sampling_with_tools, the_steps_are_bounded) {
  rules.tool_steps = 3;
  auto p = think();
  for (size_t i = 0; i < route->size(); ++i)
    end(i, wants("mcp__fs__read_file"));
  EXPECT_EQ(route->size(), 3u);
  EXPECT_EQ(p.get().error.code, errc::limit_exceeded);
  EXPECT_NE(p.get().error.message.find("sampling.maxToolSteps"), std::string::npos);
}

// ---- the client's model ----------------------------------------------------------------------

struct sampling_of_client : sampling_session_test {
  sampling_of_client() { run.abilities.samples = true; }
  void client_answers(model_outcome answer) {
    client->answer = std::move(answer);
    self->send(listener, msg::progress_atom::value, msg::run_progress{});
    settle();
  }
};

TEST_F(sampling_of_client, comes_first_and_its_tokens_are_estimated) {
  auto p = ask_for(question("What is 2+2?"));
  EXPECT_TRUE(route->empty());
  ASSERT_EQ(client->requests.size(), 1u);
  EXPECT_TRUE(client->requests[0].model.empty()) << "the client chooses";
  auto a = says("4");
  a.usage = {0, 0, true};
  client_answers(a);
  EXPECT_EQ(text_of(p), "4");
  auto used = finish();
  EXPECT_EQ(used.route, "client");
  EXPECT_TRUE(used.is_estimated);
  EXPECT_GT(used.tokens, 0u);
}

TEST_F(sampling_of_client, a_client_that_never_answers_is_told_that_nobody_waits) {
  rules.provider.reset();
  rules.no_provider = "no provider is configured: set A_KEY";
  auto p = ask_for(question("hello"));
  advance(rules.client_timeout + 1s);
  EXPECT_EQ(p.get().error.code, errc::model_failed);
  EXPECT_EQ(p.get().error.message,
            "the client's model did not answer within 30000 ms (sampling.clientTimeoutMs). It is not asked again in "
            "this run, and nobody else can be: no provider is configured: set A_KEY");
  EXPECT_EQ(client->cancelled.size(), 1u);
}

TEST_F(sampling_of_client, a_silent_client_is_asked_once_in_a_run_that_has_no_provider) {
  rules.provider.reset();
  auto first = ask_for(question("hello"));
  advance(rules.client_timeout + 1s);
  auto q = question("again");
  auto second = ask_for(q);
  EXPECT_EQ(client->requests.size(), 1u);
  ASSERT_EQ(second.count(), 1u);
  EXPECT_EQ(second.get().error.message, first.get().error.message);
  q.stream = true;
  (void)ask_for(q);
  EXPECT_EQ(next(7'000'003).get().error.code, errc::model_failed);
  EXPECT_EQ(finish().rounds, 1u);
}

TEST_F(sampling_of_client, that_wants_tools_which_it_was_not_offered_is_an_error) {
  auto a = says("");
  a.stop = msg::stop_reason::tool_use;
  a.uses.push_back({"use_1", "mcp__fs__read", test::doc("{}"), {}});
  auto p = ask_for(question("hello"));
  client_answers(a);
  EXPECT_EQ(p.get().error.code, errc::model_failed);
  EXPECT_NE(p.get().error.message.find("'mcp__fs__read'"), std::string::npos) << p.get().error.message;
  a.text = "I would read it";
  p = ask_for(question("hello"));
  client_answers(a);
  EXPECT_EQ(text_of(p), "I would read it");
  auto used = finish();
  EXPECT_EQ(used.calls.at(0).error, errc::model_failed);
  EXPECT_EQ(used.calls.at(1).error, errc::none);
}

TEST_F(sampling_of_client, the_provider_is_asked_when_the_client_says_nothing_and_from_then_on) {
  auto p = ask_for(question("hello"));
  advance(rules.client_timeout + 1s);
  EXPECT_EQ(client->cancelled.size(), 1u);
  ASSERT_EQ(route->size(), 1u);
  EXPECT_EQ(route->front().request.model, "m") << "of the provider";
  end(0, says("hi"));
  EXPECT_EQ(text_of(p), "hi");
  auto again = ask_for(question("again"));
  ASSERT_EQ(route->size(), 2u);
  end(1, says("yes"));
  EXPECT_EQ(text_of(again), "yes");
  EXPECT_EQ(client->requests.size(), 1u);
  auto used = finish();
  EXPECT_EQ(used.route, "anthropic");
  EXPECT_EQ(used.rounds, 3u);
  ASSERT_EQ(used.calls.size(), 3u);
  EXPECT_EQ(used.calls[0].route, "client");
  EXPECT_EQ(used.calls[0].error, errc::call_timeout);
}

TEST_F(sampling_of_client, the_error_names_both_when_neither_answers) {
  auto p = ask_for(question("hello"));
  advance(rules.client_timeout + 1s);
  end(0, model_outcome{msg::fault{errc::model_failed, "Anthropic is overloaded"}});
  EXPECT_EQ(p.get().error.message, "the client's model did not answer within 30000 ms (sampling.clientTimeoutMs). Then "
                                   "anthropic was asked: Anthropic is overloaded");
}

TEST_F(sampling_of_client, a_refusal_is_an_answer_and_no_provider_is_asked) {
  auto p = ask_for(question("hello"));
  client_answers(model_outcome{msg::fault{errc::model_failed, "The user said no"}});
  EXPECT_EQ(p.get().error.message, "The user said no");
  EXPECT_TRUE(route->empty());
}

TEST_F(sampling_of_client, a_model_that_the_provider_has_not_is_named) {
  rules.client_models = {"opus"};
  auto q = question("hello");
  q.model = "opus";
  auto p = ask_for(q);
  advance(rules.client_timeout + 1s);
  EXPECT_TRUE(route->empty());
  EXPECT_NE(p.get().error.message.find("opus"), std::string::npos);
  EXPECT_NE(p.get().error.message.find("sampling.allowedModels.anthropic"), std::string::npos);
}

TEST_F(sampling_of_client, the_end_of_the_run_shortens_the_wait) {
  run_time = 10s;
  auto p = ask_for(question("hello"));
  advance(4s);
  EXPECT_TRUE(route->empty());
  advance(2s);
  ASSERT_EQ(route->size(), 1u);
  end(0, model_outcome{msg::fault{errc::model_failed, "busy"}});
  EXPECT_NE(p.get().error.message.find(
              "within 5000 ms: the time of this run is too short for the 30000 ms of sampling.clientTimeoutMs"),
            std::string::npos);
}

TEST_F(sampling_of_client, an_answer_after_the_silence_is_not_used) {
  auto p = ask_for(question("hello"));
  advance(rules.client_timeout + 1s);
  client_answers(says("too late"));
  end(0, says("in time"));
  EXPECT_EQ(text_of(p), "in time");
}

TEST_F(sampling_of_client, streams_go_on_at_the_provider) {
  auto q = question("hello");
  q.stream = true;
  (void)ask_for(q);
  auto first = next();
  advance(rules.client_timeout + 1s);
  text(0, "piece");
  end(0, says("piece"));
  EXPECT_EQ(text_of(first), "piece");
}

TEST_F(sampling_of_client, that_takes_no_tools_says_so) {
  auto q = question("hello");
  q.tools = {"*"};
  EXPECT_NE(ask_for(q).get().error.message.find("sampling.tools"), std::string::npos);
}

TEST_F(sampling_of_client, a_stream_is_one_piece) {
  auto q = question("hello");
  q.stream = true;
  (void)ask_for(q);
  client_answers(says("all at once"));
  auto first = next();
  EXPECT_EQ(text_of(first), "all at once");
}

} // namespace
