#include "actors/sampling/round_answer.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_round_answer_test {

using namespace sampling_tests;
using sampling::round_answer;

round_answer looked_through(round_answer answer, completion_request q = question_of("2+2?"),
                            const content_filter::content_policy& policy = {}) {
  sampling::complete(answer, q);
  sampling::filter_answer(answer, policy);
  return answer;
}

TEST(complete, fills_in_what_nobody_told) {
  auto a = says("4");
  a.model = {};
  a.usage = {0, 0, true};
  auto seen = looked_through(a);
  EXPECT_EQ(seen.value.model, "m");
  EXPECT_TRUE(seen.value.usage.is_estimated);
  EXPECT_GT(seen.value.usage.input, 0u);
}

TEST(filter_answer, takes_out_secrets_or_all) {
  EXPECT_EQ(looked_through(says("it was " + key())).value.text, "it was [REDACTED_SECRET]");
  content_filter::content_policy policy;
  policy.set(content_filter::content_class::secret, content_filter::content_action::block);
  EXPECT_EQ(looked_through(says("it was " + key()), question_of("2+2?"), policy).error.code, errc::not_allowed);
}

TEST(complete, refuses_a_wish_for_tools_that_were_not_offered) {
  EXPECT_EQ(looked_through(wants("mcp__fs__read")).error.code, errc::model_failed);
  EXPECT_NE(looked_through(wants("mcp__fs__read")).error.message.find("'mcp__fs__read'"), std::string::npos);
}

TEST(complete, gives_a_stream_its_last_word) {
  auto q = question_of("2+2?");
  q.request.stream = true;
  q.stream.begin_round({});
  EXPECT_EQ(q.stream.feed("it is four").code, errc::none);
  round_answer a = says("it is four");
  sampling::complete(a, q);
  EXPECT_EQ(q.stream.given(), "it is four");
}

TEST(used_by, is_what_the_provider_says_or_an_estimate_of_what_was_sent_and_came) {
  auto q = question_of(std::string(4'000, 'a'));
  EXPECT_EQ(sampling::used_by(q, says("4")).input, 10u);
  round_answer failed = msg::fault{errc::model_failed, "500"};
  auto used = sampling::used_by(q, failed);
  EXPECT_TRUE(used.is_estimated);
  EXPECT_GE(used.input, 1'000u);
  EXPECT_EQ(used.output, 0u);
  q.stream.begin_round({});
  EXPECT_EQ(q.stream.feed("Five words of the answer ").code, errc::none);
  EXPECT_GE(sampling::used_by(q, failed).output, 5u);
  auto with_use = failed;
  with_use.value.uses = wants("mcp__fs__read").uses;
  EXPECT_GT(sampling::used_by(q, with_use).output, sampling::used_by(q, failed).output);
  failed.value.usage = {0, 5'000, true};
  EXPECT_EQ(sampling::used_by(q, failed).output, 5'000u) << "what was refused before anything was taken of it";
  failed.value.usage = {30, 70, false};
  EXPECT_EQ(sampling::used_by(q, failed).output, 70u);
  failed.value.usage = {};
  failed.value.times_asked = 0;
  EXPECT_EQ(sampling::used_by(q, failed).input, 0u) << "it never left";
}

TEST(used_by, is_no_report_that_can_not_be) {
  auto q = question_of("2+2?");
  auto nothing = says(std::string(4'000, 'a'));
  nothing.usage = {0, 0, false};
  auto seen = looked_through(nothing, q);
  EXPECT_EQ(sampling::used_by(q, seen).output, 1'000u);
  EXPECT_TRUE(sampling::used_by(q, seen).is_estimated);
  seen = looked_through(wants("mcp__fs__read"), q);
  seen.value.text = std::string(4'000, 'a');
  seen.value.usage = {10, 1, false};
  EXPECT_GE(sampling::used_by(q, seen).output, 1'000u) << "of one that fails";
  EXPECT_EQ(sampling::used_by(q, seen).input, 10u);
}

TEST(used_by, has_the_prompt_of_every_try) {
  auto q = question_of(std::string(4'000, 'a'));
  auto once = sampling::used_by(q, msg::fault{errc::model_failed, "500"}).input;
  round_answer failed = msg::fault{errc::model_failed, "500"};
  failed.value.times_asked = 4;
  EXPECT_EQ(sampling::used_by(q, failed).input, 4 * once);
  failed.value.usage = {30, 70, false};
  EXPECT_EQ(sampling::used_by(q, failed).input, 30 + 3 * once) << "the last one was told";
  EXPECT_TRUE(sampling::used_by(q, failed).is_estimated);

  round_answer at_last = says("4");
  at_last.value.times_asked = 3;
  sampling::complete(at_last, q);
  EXPECT_EQ(sampling::used_by(q, at_last).input, 10 + 2 * once);
  EXPECT_EQ(sampling::used_by(q, at_last).output, 5u);
  EXPECT_TRUE(at_last.value.usage.is_estimated);
  at_last.error = {errc::not_allowed, "filtered"};
  EXPECT_LE(sampling::used_by(q, at_last).input, 3 * once) << "nothing is counted twice";
}

TEST(answer_doc, is_what_the_guest_gets) {
  EXPECT_EQ(sampling::answer_doc(says("4")).text(),
            R"({"text":"4","model":"m","stopReason":"end","usage":{"inputTokens":10,"outputTokens":5}})");
  auto a = says("4");
  a.usage.is_estimated = true;
  EXPECT_EQ(sampling::answer_doc(a).value().at("usage").at("estimated"), true);
}

} // namespace sampling_round_answer_test
