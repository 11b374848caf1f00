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
    t.definition = test::doc(R"({"name":"read file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}})");
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
  sampling_of_client() { run.client_samples = true; }
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
  auto p = ask_for(question("hello"));
  advance(rules.call_timeout + 1s);
  EXPECT_EQ(p.get().error.code, errc::model_failed);
  EXPECT_NE(p.get().error.message.find("sampling.timeoutPerCallMs"), std::string::npos);
  EXPECT_EQ(client->cancelled.size(), 1u);
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
