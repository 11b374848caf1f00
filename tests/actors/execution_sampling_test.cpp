// What a guest asks of models, as its execution carries it out.
#include "tests/actors/execution_fixture.hpp"

#include <deque>

namespace {

using namespace execution_fakes;

struct execution_sampling : execution_test {
  std::shared_ptr<std::deque<std::pair<msg::model_request, sampling::model_listener>>> asked =
    std::make_shared<std::deque<std::pair<msg::model_request, sampling::model_listener>>>();

  void allow() {
    auto rules = std::make_shared<actors::sampling_rules>();
    rules->enabled = true;
    rules->limits.tokens = tokens_;
    rules->answer_tokens = 1'000'000;
    sampling::model_route route;
    route.name = "mock";
    route.model = "m";
    route.ask = [to = asked](msg::model_request request, sampling::model_listener listener) {
      to->emplace_back(std::move(request), std::move(listener));
      return [] {};
    };
    rules->provider = route;
    sampling = rules;
  }
  ~execution_sampling() override { asked->clear(); }
  void ask(uint64_t id, const std::string& more = {}) {
    frame(R"({"type":"request","id":)" + std::to_string(id)
          + R"(,"method":"sample","params":{"messages":[{"role":"user","content":"hello"}])" + more + "}}");
  }
  void answer(msg::model_answer with) {
    asked->back().second.end(std::move(with));
    settle();
  }
  static msg::model_answer wants_tool(const std::string& name) {
    msg::model_answer a;
    a.stop = msg::stop_reason::tool_use;
    a.uses.push_back({"u", name, msg::document{json::object{}}, {}});
    return a;
  }

  uint32_t tokens_ = UINT32_MAX; ///< of the run
};

TEST_F(execution_sampling, counts_what_is_held_of_a_question) {
  tokens_ = 10'000;
  allow();
  begin();
  frame(R"({"type":"request","id":1,"method":"sample","params":{"messages":[{"role":"user","content":")"
        + std::string(2u << 20, 'x') + R"("}]}})");
  ASSERT_FALSE(w->held.empty());
  EXPECT_GE(w->held.front(), 6u << 20);
  ASSERT_EQ(w->replies.size(), 1u) << "more than the tokens of the run";
  EXPECT_LT(w->held.back(), 1u << 20);
}

/// Of the question and of what comes for it; the sandbox ends the guest when it is too much.
TEST_F(execution_sampling, counts_what_is_held_of_an_answer) {
  allow();
  begin();
  ask(1);
  ask(2);
  ASSERT_EQ(asked->size(), 2u);
  for (auto& [request, listener] : *asked)
    listener.place->hold(3u << 20);
  settle();
  ASSERT_FALSE(w->held.empty());
  EXPECT_GE(w->held.back(), 6u << 20);
  answer({});
  EXPECT_GE(w->held.back(), 3u << 20);
  EXPECT_LT(w->held.back(), 4u << 20) << "the other one goes on";
  frame(R"({"type":"done"})");
}

TEST_F(execution_sampling, counts_what_a_stream_holds_for_its_program) {
  allow();
  begin();
  ask(1, R"(,"stream":true)");
  for (int i = 0; i < 4; ++i) {
    asked->back().second.text(std::string(1u << 20, ' '));
    settle();
  }
  ASSERT_FALSE(w->held.empty());
  EXPECT_GE(w->held.back(), 8u << 20);
  answer({});
  frame(R"({"type":"done"})");
}

TEST_F(execution_sampling, is_refused_unless_it_is_enabled) {
  begin();
  ask(1);
  EXPECT_EQ(w->replies.at(0).second.error.code, errc::not_allowed);
  frame(R"({"type":"done"})");
  EXPECT_FALSE(report.get().sampling.enabled);
}

TEST_F(execution_sampling, is_answered_and_part_of_the_report) {
  allow();
  begin();
  ask(1);
  msg::model_answer a;
  a.text = "hi";
  a.usage = {3, 2, false};
  answer(a);
  EXPECT_EQ(w->replies.at(0).second.value.value().at("text"), "hi");
  frame(R"({"type":"done"})");
  auto used = report.get().sampling;
  EXPECT_TRUE(used.enabled);
  EXPECT_EQ(used.rounds, 1u);
  EXPECT_EQ(used.tokens, 5u);
  EXPECT_EQ(used.route, "mock");
}

TEST_F(execution_sampling, that_is_not_answered_ends_with_the_run) {
  allow();
  begin();
  ask(1);
  advance(5'001ms);
  EXPECT_EQ(report.get().status, run_status::timeout);
  EXPECT_EQ(report.get().sampling.calls.at(0).error, errc::cancelled);
}

TEST_F(execution_sampling, without_tools_that_fit_says_so) {
  allow();
  begin();
  ask(1, R"(,"tools":["mcp__s__*"])");
  EXPECT_EQ(w->replies.at(0).second.error.code, errc::not_allowed);
}

TEST_F(execution_sampling, with_more_bytes_of_patterns_than_there_may_be_says_so) {
  allow();
  begin();
  std::string patterns;
  for (int i = 0; i < 33; ++i)
    patterns += (i ? ",\"" : "\"") + std::string(msg::limits::pattern_bytes_max - 1, 'x') + "*\"";
  ask(1, R"(,"tools":[)" + patterns + "]");
  EXPECT_EQ(w->replies.at(0).second.error.message,
            "llm: the patterns with a star in 'tools' must be at most 16384 bytes in all, not 16896");
}

TEST_F(execution_sampling, tools_of_a_model_are_calls_of_the_run_and_end_with_it) {
  allow();
  msg::tool_info tool;
  tool.server = "s";
  tool.name = "add";
  w->found = {tool};
  w->answers_calls = false;
  begin();
  ask(1, R"(,"tools":["mcp__s__*"])");
  answer(wants_tool("mcp__s__add"));
  ASSERT_EQ(w->calls.size(), 1u);
  EXPECT_EQ(w->calls[0].tool.tool, "add");
  frame(R"({"type":"done"})");
  EXPECT_EQ(w->ended_runs.size(), 1u);
  EXPECT_EQ(asked->size(), 1u) << "the model is not asked again after the end";
  EXPECT_EQ(report.get().tools.at(0).name, "mcp__s__add");
}

} // namespace
