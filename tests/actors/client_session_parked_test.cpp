// A session and a client of revision 2026-07-28 whose model is asked in the middle of a run.
#include "tests/actors/client_session_fixture.hpp"

using namespace std::literals;
using namespace testing_support;

TEST_F(client_session_test, a_client_without_requests_to_it_comes_back_with_the_answer_of_its_model) {
  goes_on = true;
  call_without_handshake("1");
  ask_its_model();
  ASSERT_EQ(answers.size(), 1u);
  auto& asked = answers[0].at("result");
  ASSERT_EQ(asked.at("resultType"), "input_required");
  auto state = std::string{asked.at("requestState").as_string()};
  call_without_handshake("2", R"("requestState":")" + state
                                + R"(","inputResponses":{"q1":{"role":"assistant","model":"m","content":[]}},)");
  EXPECT_EQ(runs, 1u);
  EXPECT_EQ(answers.size(), 1u);
  caf::anon_send(admission, msg::deadline_atom::value, uint64_t{1});
  settle();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].at("id"), 2);
  EXPECT_EQ(answers[1].at("result").at("resultType"), "complete");
  advance(mcp::parked_request_max);
  EXPECT_TRUE(cancelled.empty());
}

TEST_F(client_session_test, a_run_whose_client_does_not_come_back_is_cancelled) {
  goes_on = true;
  call_without_handshake("1");
  ask_its_model();
  advance(mcp::parked_request_max - 1ms);
  EXPECT_TRUE(cancelled.empty());
  advance(1ms);
  EXPECT_EQ(cancelled, ids);
}
