// What goes into a prompt: looked through on another thread where it is much, and bounded.
#include "tests/actors/sampling_session_fixture.hpp"

namespace {

using namespace sampling_fakes;

struct sampling_prompts_test : sampling_session_test {
  static constexpr size_t large = 1u << 20;
  std::deque<std::function<void()>> works; ///< of the other thread
  msg::fault refused;                      ///< by it

  sampling_prompts_test() {
    rules.limits = {1'000, UINT32_MAX};
    offload = [this](std::function<void()> work, std::function<void(msg::fault)> done) {
      works.push_back([this, work, done] {
        if (refused.code == errc::none)
          work();
        done(refused);
      });
    };
  }
  void work() {
    for (auto& each : std::exchange(works, {}))
      each();
    settle();
  }
  static msg::sample_request large_question() {
    return question("write to eve@example.com " + std::string(large, 'x'));
  }
};

TEST_F(sampling_prompts_test, a_small_one_is_looked_through_at_once) {
  auto p = ask_for(question("write to eve@example.com"));
  EXPECT_TRUE(works.empty());
  ASSERT_EQ(route->size(), 1u);
  EXPECT_EQ(route->front().request.messages.at(0).text.find("eve@"), std::string::npos);
}

TEST_F(sampling_prompts_test, a_large_one_is_looked_through_elsewhere) {
  auto p = ask_for(large_question());
  auto small = ask_for(question("hello"));
  EXPECT_EQ(route->size(), 1u) << "the small one does not wait";
  ASSERT_EQ(works.size(), 1u);
  work();
  ASSERT_EQ(route->size(), 2u);
  auto& text = route->back().request.messages.at(0).text;
  EXPECT_EQ(text.find("eve@"), std::string::npos);
  EXPECT_GT(text.size(), large);
  end(1, says("4"));
  EXPECT_EQ(text_of(p), "4");
}

TEST_F(sampling_prompts_test, what_may_not_be_sent_fails_the_question) {
  rules.filter.set(content_filter::content_class::email, content_filter::content_action::block);
  auto p = ask_for(large_question());
  work();
  EXPECT_TRUE(route->empty());
  EXPECT_EQ(p.get().error.code, errc::not_allowed) << p.get().error.message;
  EXPECT_EQ(events->size(), 1u) << "a refusal";
}

TEST_F(sampling_prompts_test, who_can_not_look_through_it_fails_the_question) {
  refused = {errc::limit_exceeded, "no memory"};
  auto p = ask_for(large_question());
  work();
  EXPECT_TRUE(route->empty());
  EXPECT_EQ(p.get().error.message, "no memory");
}

TEST_F(sampling_prompts_test, a_stream_that_is_left_meanwhile_is_not_asked_for) {
  auto q = large_question();
  q.stream = true;
  auto stream = ask_for(q);
  self->send(session, msg::cancel_atom::value, stream.get().value.value().at("stream").to_number<uint64_t>());
  settle();
  work();
  EXPECT_TRUE(route->empty());
}

TEST_F(sampling_prompts_test, the_end_of_the_run_answers_what_is_looked_through) {
  auto p = ask_for(large_question());
  finish();
  EXPECT_EQ(p.get().error.code, errc::cancelled);
  work();
  EXPECT_TRUE(route->empty());
}

TEST_F(sampling_prompts_test, all_that_are_open_have_a_limit) {
  std::vector<pending<answer>> all;
  for (size_t i = 0; i < sampling::prompts_held_max / large + 3; ++i)
    all.push_back(ask_for(large_question()));
  EXPECT_EQ(all.back().get().error.code, errc::overloaded);
  EXPECT_NE(all.back().get().error.message.find("32 MiB of text"), std::string::npos) << all.back().get().error.message;
  work();
  ASSERT_FALSE(route->empty());
  EXPECT_LT(route->size(), sampling::prompts_held_max / large);
  end(0, says("4"));
  auto next = ask_for(large_question());
  work();
  EXPECT_EQ(next.count(), 0u) << "there is room again";
}

} // namespace
