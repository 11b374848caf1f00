#include "actors/sampling/open_completions.hpp"

#include "actors/sampling/prompts.hpp"
#include "tests/unit/actors/sampling/completion_fixture.hpp"

#include <vector>

namespace sampling_open_completions_test {

using namespace sampling_tests;

struct open_completions_test : testing::Test {
  sampling::open_completions open{7};
  static sampling::completion_ptr some(size_t bytes = 0) {
    auto q = std::make_shared<completion_request>();
    q->prompt_bytes = bytes;
    return q;
  }
};

TEST_F(open_completions_test, have_numbers_that_no_other_run_has) {
  EXPECT_EQ(open.add(some()), 7'000'001u);
  EXPECT_EQ(open.add(some()), 7'000'002u);
  EXPECT_TRUE(open.find(7'000'001));
  open.erase(7'000'001);
  EXPECT_FALSE(open.find(7'000'001));
  EXPECT_EQ(open.take_all().size(), 1u);
  EXPECT_FALSE(open.find(7'000'002));
}

TEST_F(open_completions_test, are_bounded_in_number) {
  for (size_t i = 0; i < sampling::completions_max; ++i) {
    EXPECT_EQ(open.check_count().code, errc::none);
    open.add(some());
  }
  EXPECT_EQ(open.check_count().message, "llm: this run has 200 questions open, which is the limit; await some first, "
                                        "and leave streams that you need no more");
}

TEST_F(open_completions_test, are_bounded_in_text) {
  open.add(some(sampling::prompts_held_max - 10));
  EXPECT_EQ(open.check_bytes(10).code, errc::none);
  EXPECT_EQ(open.check_bytes(11).code, errc::overloaded);
  EXPECT_NE(open.check_bytes(11).message.find("have 32 MiB of text, which is the limit"), std::string::npos);
}

TEST_F(open_completions_test, that_wait_try_again_in_their_order_until_one_waits) {
  std::vector<uint64_t> tried;
  for (uint64_t number : {1, 2, 3, 4})
    open.wait(number);
  open.try_again([&](uint64_t number) {
    tried.push_back(number);
    if (number == 2)
      open.wait(number);
  });
  EXPECT_EQ(tried, (std::vector<uint64_t>{1, 2}));
  tried.clear();
  open.try_again([&](uint64_t number) { tried.push_back(number); });
  EXPECT_EQ(tried, (std::vector<uint64_t>{2, 3, 4}));
  tried.clear();
  open.try_again([&](uint64_t number) { tried.push_back(number); });
  EXPECT_TRUE(tried.empty());
}

TEST_F(open_completions_test, are_answered_once_and_say_who_was_asked_before) {
  std::vector<msg::outcome<msg::document>> answers;
  auto q = question_of("2+2?");
  q.reply = [&](auto with) { answers.push_back(std::move(with)); };
  sampling::reply_to(q, msg::fault{errc::cancelled, "left"});
  sampling::reply_to(q, msg::fault{errc::cancelled, "again"});
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(sampling::with_who_was_tried(q, {errc::model_failed, "busy"}).message, "busy");
  q.tried = "the client was silent";
  EXPECT_EQ(sampling::with_who_was_tried(q, {errc::model_failed, "busy"}).message,
            "the client was silent. Then anthropic was asked: busy");
}

} // namespace sampling_open_completions_test
