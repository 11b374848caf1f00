#include "actors/sampling/streamed_answer.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_streamed_answer_test {

using namespace sampling_tests;
using sampling::streamed_answer;

struct streamed_answer_test : testing::Test {
  streamed_answer s;
  streamed_answer_test() { s.begin_round({}); }

  /// {text, done}; null: it has to wait.
  boost::json::value next() {
    auto piece = s.take();
    if (!piece)
      return nullptr;
    EXPECT_TRUE(piece->what.ok()) << piece->what.error.message;
    EXPECT_EQ(piece->what.value.value().at("done"), piece->is_last);
    return piece->what.value.value();
  }
};

TEST_F(streamed_answer_test, gives_what_has_come_and_then_the_end) {
  EXPECT_EQ(next(), nullptr);
  EXPECT_EQ(s.feed("one two ").code, errc::none);
  EXPECT_EQ(s.feed("three ").code, errc::none);
  EXPECT_EQ(next(), test::value(R"({"text":"one two three ","done":false})"));
  EXPECT_EQ(next(), nullptr);
  s.finish_round();
  s.end();
  EXPECT_TRUE(s.is_over());
  EXPECT_EQ(next(), test::value(R"({"text":"","done":true})"));
}

TEST_F(streamed_answer_test, a_model_that_does_not_end_is_left) {
  s.begin_round({}, nullptr, 100);
  int words = 0;
  while (words < 10'000 && s.feed("word ").code == errc::none)
    ++words;
  EXPECT_GT(words, 240) << "tokens are estimated";
  EXPECT_LT(words, 1'500);
  EXPECT_EQ(s.feed("word ").code, errc::model_failed);
  s.begin_round({}, nullptr, 100);
  EXPECT_EQ(s.feed("word ").code, errc::none) << "each round has its own";
}

TEST_F(streamed_answer_test, gives_the_rest_with_the_end) {
  EXPECT_EQ(s.feed("one two").code, errc::none);
  s.finish_round();
  s.end();
  EXPECT_EQ(next(), test::value(R"({"text":"one two","done":true})"));
}

TEST_F(streamed_answer_test, gives_its_text_before_the_error) {
  EXPECT_EQ(s.feed("half of it. ").code, errc::none);
  s.end({errc::model_failed, "the stream was cut"});
  EXPECT_EQ(next(), test::value(R"({"text":"half of it. ","done":false})"));
  auto last = s.take();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->is_last);
  EXPECT_EQ(last->what.error.message, "the stream was cut");
}

TEST_F(streamed_answer_test, takes_secrets_out_across_pieces_and_knows_what_came) {
  EXPECT_EQ(s.feed("The key " + key().substr(0, 9)).code, errc::none);
  EXPECT_EQ(s.feed(key().substr(9) + " is").code, errc::none);
  s.finish_round();
  EXPECT_EQ(s.given(), "The key [REDACTED_SECRET] is");
  EXPECT_EQ(s.received(), "The key " + key() + " is");
}

TEST_F(streamed_answer_test, ends_at_what_is_blocked) {
  content_filter::content_policy policy;
  policy.set(content_filter::content_class::secret, content_filter::content_action::block);
  s.begin_round(policy);
  EXPECT_EQ(s.feed("it is " + key() + " and more").code, errc::not_allowed);
}

TEST_F(streamed_answer_test, keeps_the_text_of_a_round_before) {
  EXPECT_EQ(s.feed("first ").code, errc::none);
  s.finish_round();
  s.begin_round({});
  EXPECT_EQ(s.given(), "");
  EXPECT_EQ(s.received(), "");
  EXPECT_EQ(s.feed("second ").code, errc::none);
  s.finish_round();
  EXPECT_EQ(next().at("text"), "first second ");
}

} // namespace sampling_streamed_answer_test
