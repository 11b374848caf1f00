// What a run has used, for its report and for the record.
#include "actors/sampling/ledger.hpp"
#include "actors/sampling/record.hpp"

#include "messages/limits.hpp"
#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_ledger_test {

using namespace sampling_tests;
using namespace std::literals;
using sampling::budget;
using sampling::ledger;
using sampling::round_answer;

TEST(ledger, reserves_settles_and_reports) {
  ledger l{{2, 1'000}, {}};
  auto q = question_of("2+2?");
  ASSERT_EQ(l.take(q).what, budget::verdict::taken);
  EXPECT_GT(q.reserved, 100u) << "the answer and the question";
  EXPECT_EQ(q.request.max_tokens, 100u);
  auto& call = l.settle(q, says("4"), 3ms);
  EXPECT_EQ(call.route, "anthropic");
  EXPECT_EQ(call.duration_us, 3'000u);
  EXPECT_TRUE(call.prompt.empty());
  auto report = l.report("client");
  EXPECT_TRUE(report.enabled);
  EXPECT_EQ(report.route, "client");
  EXPECT_EQ(report.rounds, 1u);
  EXPECT_EQ(report.rounds_left, 1u);
  EXPECT_EQ(report.tokens, 15u);
  EXPECT_EQ(report.tokens_left, 985u);
  EXPECT_EQ(report.calls.size(), 1u);
  EXPECT_FALSE(report.is_estimated);
}

TEST(ledger, says_what_failed_and_cost_all_the_same) {
  ledger l{{2, 1'000}, {}};
  auto q = question_of("2+2?");
  (void)l.take(q);
  auto& call = l.settle(q, msg::fault{errc::model_failed, "500"}, 3ms);
  EXPECT_EQ(call.error, errc::model_failed);
  EXPECT_EQ(call.model, "m");
  EXPECT_TRUE(l.report("anthropic").is_estimated);
  EXPECT_GT(l.report("anthropic").tokens, 0u);
}

TEST(ledger, leaves_a_question_alone_that_has_to_wait) {
  ledger l{{10, 150}, {}};
  auto first = question_of("2+2?"), second = question_of("2+2?");
  ASSERT_EQ(l.take(first).what, budget::verdict::taken);
  EXPECT_EQ(l.take(second).what, budget::verdict::later);
  EXPECT_EQ(second.reserved, 0u);
}

TEST(ledger, tells_prompts_and_answers_to_who_wants_them) {
  msg::sampling_options wish;
  wish.verbose = true;
  ledger l{{2, 1'000}, wish};
  auto& call = l.settle(question_of("2+2?"), says("4"), 3ms);
  EXPECT_EQ(call.prompt, "2+2?");
  EXPECT_EQ(call.answer, "4");
}

msg::run_request run() {
  msg::run_request r;
  r.id = 7;
  r.client_name = "claude-code#1";
  return r;
}

TEST(sampling_record, says_what_a_round_was) {
  ledger l{{2, 1'000}, {}};
  sampling::record record{run()};
  auto q = question_of("2+2?");
  round_answer a = says("4");
  auto e = record.round(q, l.settle(q, a, 3ms), a);
  EXPECT_EQ(e.kind, msg::audit_kind::sampling_call);
  EXPECT_EQ(e.run, 7u);
  EXPECT_EQ(e.client, "claude-code#1");
  EXPECT_EQ(e.route, "anthropic");
  EXPECT_EQ(e.prompt, "2+2?");
  EXPECT_EQ(e.answer, "4");
  EXPECT_EQ(e.tokens, 15u);
  EXPECT_TRUE(e.success);
  a = msg::fault{errc::model_failed, "it said: 2+2?"};
  e = record.round(q, l.settle(q, a, 3ms), a);
  EXPECT_FALSE(e.success);
  EXPECT_EQ(e.error, to_string(errc::model_failed)) << "no text of others";
}

TEST(sampling_record, has_a_bounded_number_of_refusals) {
  sampling::record record{run()};
  msg::fault no{errc::not_allowed, "System prompt not in allowlist: be evil"};
  EXPECT_FALSE(record.refusal("anthropic", "m", {errc::overloaded, "too many"})) << "not of the rules";
  std::optional<msg::audit_event> last;
  for (uint32_t i = 0; i < msg::limits::audit_refusals_max; ++i) {
    last = record.refusal("anthropic", "m", no);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->error.find("evil"), std::string::npos);
  }
  EXPECT_NE(last->error.find("further refusals"), std::string::npos);
  EXPECT_FALSE(record.refusal("anthropic", "m", no));
}

} // namespace sampling_ledger_test
