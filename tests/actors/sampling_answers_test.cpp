// Answers that are much text: looked through on another thread, or in pieces, before the program gets them.
#include "actors/sampling/prompts.hpp"
#include "tests/actors/put_off.hpp"
#include "tests/actors/sampling_session_fixture.hpp"

namespace {

using namespace sampling_fakes;

struct sampling_answers_test : sampling_session_test {
  static constexpr size_t large = 1u << 20;
  put_off elsewhere;

  sampling_answers_test() {
    rules.limits = {1'000, UINT32_MAX};
    rules.answer_tokens = 1'000'000;
    offload = elsewhere;
  }
  void work() {
    elsewhere.carry_out();
    settle();
  }
  static msg::model_answer large_answer() {
    return says("write to eve@example.com " + std::string(large, 'x'), 10, 100'000);
  }
  static msg::sample_request streamed(std::string prompt) {
    auto q = question(std::move(prompt));
    q.stream = true;
    return q;
  }
};

TEST_F(sampling_answers_test, a_small_one_is_looked_through_at_once) {
  auto p = ask_for(question("hello"));
  end(0, says("eve@example.com"));
  EXPECT_EQ(text_of(p).find("eve@"), std::string::npos);
  EXPECT_TRUE(elsewhere.all->empty());
}

TEST_F(sampling_answers_test, a_large_one_is_looked_through_elsewhere) {
  auto p = ask_for(question("hello"));
  auto small = ask_for(question("hello too"));
  end(0, large_answer());
  end(1, says("4"));
  EXPECT_EQ(text_of(small), "4") << "it does not wait";
  EXPECT_EQ(p.count(), 0u);
  work();
  EXPECT_EQ(text_of(p).find("eve@"), std::string::npos);
  EXPECT_GT(text_of(p).size(), large);
  EXPECT_EQ(finish().calls.at(1).usage.output, 100'000u);
}

TEST_F(sampling_answers_test, one_that_is_blocked_elsewhere_fails_the_question) {
  rules.filter.set(content_filter::content_class::email, content_filter::content_action::block);
  auto p = ask_for(question("hello"));
  end(0, large_answer());
  work();
  EXPECT_EQ(p.get().error.code, errc::not_allowed) << p.get().error.message;
  EXPECT_EQ(finish().calls.at(0).usage.output, 100'000u) << "it was used all the same";
}

TEST_F(sampling_answers_test, who_can_not_look_through_it_fails_the_question) {
  auto p = ask_for(question("hello"));
  end(0, large_answer());
  elsewhere.all->at(0).done({errc::limit_exceeded, "no memory"});
  settle();
  EXPECT_EQ(p.get().error.message, "no memory");
}

TEST_F(sampling_answers_test, the_end_of_the_run_counts_what_is_looked_through) {
  auto p = ask_for(question("hello"));
  end(0, large_answer());
  auto report = finish();
  EXPECT_EQ(p.get().error.code, errc::cancelled);
  EXPECT_EQ(report.calls.at(0).usage.output, 100'000u);
  EXPECT_FALSE(*route->at(0).given_up) << "it had been answered";
  work();
}

TEST_F(sampling_answers_test, a_large_text_of_a_stream_is_taken_in_pieces) {
  auto p = ask_for(streamed("hello"));
  std::string all;
  for (size_t i = 0; i < 100'000; ++i)
    all += "\u20ac"; // no piece ends inside of one
  all += " eve@example.com";
  text(0, all);
  end(0, says(all));
  work();
  std::string got;
  for (bool done = false; !done;) {
    auto piece = next().get().value;
    got += piece.value().at("text").as_string();
    done = piece.value().at("done").as_bool();
  }
  EXPECT_TRUE(got.starts_with(all.substr(0, 300'000)));
  EXPECT_EQ(got.find("eve@"), std::string::npos);
}

TEST(sampling_pieces, are_whole_characters_of_bounded_length) {
  std::string all = "x";
  for (size_t i = 0; i < 100'000; ++i)
    all += "\U0001F600";
  std::string together;
  for (auto piece : sampling::pieces_of(all)) {
    EXPECT_LE(piece.size(), 600u) << "64 of them are one turn of their session";
    EXPECT_TRUE(piece.front() == 'x' || static_cast<unsigned char>(piece.front()) == 0xF0);
    together += piece;
  }
  EXPECT_EQ(together, all);
  EXPECT_TRUE(sampling::pieces_of("").empty());
}

} // namespace
