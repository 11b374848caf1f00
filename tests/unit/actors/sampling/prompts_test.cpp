#include "actors/sampling/prompts.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_prompts_unit_test {

using namespace sampling_tests;

TEST(prompt_bytes, are_of_all_texts) {
  auto q = question_of("12345");
  q.request.system = "123";
  q.request.messages.push_back({msg::chat_role::user, "", {}, {{"use_1", "read", "1234567", false}}});
  EXPECT_EQ(sampling::prompt_bytes(q.request), 15u);
}

TEST(filter_prompt, takes_secrets_out_of_texts_and_answers_of_tools) {
  auto q = question_of("my key is " + key());
  q.request.messages.push_back({msg::chat_role::user, "", {}, {{"use_1", "read", "their key is " + key(), false}}});
  EXPECT_EQ(sampling::filter_prompt(q.request.messages, {}).code, errc::none);
  EXPECT_EQ(q.request.messages[0].text, "my key is [REDACTED_SECRET]");
  EXPECT_EQ(q.request.messages[1].answers[0].text, "their key is [REDACTED_SECRET]");
}

TEST(filter_prompt, says_why_one_may_not_be_sent) {
  content_filter::content_policy policy;
  policy.set(content_filter::content_class::secret, content_filter::content_action::block);
  auto q = question_of("my key is " + key());
  auto why = sampling::filter_prompt(q.request.messages, policy);
  EXPECT_EQ(why.code, errc::not_allowed);
  EXPECT_EQ(why.message.find(key()), std::string::npos);
  auto harmless = question_of("hello");
  EXPECT_EQ(sampling::filter_prompt(harmless.request.messages, policy).code, errc::none);
}

} // namespace sampling_prompts_unit_test
