// What servers ask us in the middle of calls: requests of those that shake hands, rounds of those that do not.
#include "tests/unit/mcp/client_protocol_fixture.hpp"

#include "mcp/envelope.hpp"
#include "mcp/input_rounds.hpp"

namespace mcp_client_questions_test {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::question_kind;
using test::client_protocol_test;
using test::doc;
using test::value;

constexpr auto form = R"({"message":"Name?","requestedSchema":{"type":"object","properties":{
  "name":{"type":"string"},"polite":{"type":"boolean","default":true}}}})";

class client_questions_test : public client_protocol_test {
protected:
  void ask(const std::string& method, const std::string& params, const std::string& id = "7", int64_t during = 0) {
    protocol_.receive(
      doc(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}"), during);
  }
  void discover() {
    protocol_.start(mcp::opening::discover);
    respond(last_id(), R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
    respond(last_id(), R"({"tools":[]})");
    listed_.clear();
  }
  std::string wants(const std::string& requests, const std::string& state) {
    return R"({"resultType":"input_required","inputRequests":)" + requests + R"(,"requestState":)" + state + "}";
  }
  json::value result_for(const std::string& id) {
    for (auto& each : sent_)
      if (auto* own = each.as_object().if_contains("id");
          own && *own == value(id) && each.as_object().contains("result"))
        return each.at("result");
    return nullptr;
  }
};

// ---- requests of servers that shake hands -------------------------------------------------------

TEST_F(client_questions_test, a_server_is_told_what_it_may_ask) {
  protocol_.start(
    mcp::opening::initialize,
    {.samples = true, .samples_with_tools = true, .fills_forms = true, .opens_urls = true, .has_roots = true});
  EXPECT_EQ(last("initialize").at("params").at("capabilities"),
            value(R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}})"));
  mcp::client_protocol other{"srv", callbacks()};
  other.start();
  EXPECT_EQ(last("initialize").at("params").at("capabilities"), value("{}"));
}

TEST_F(client_questions_test, each_question_is_answered_under_its_own_id_once) {
  handshake();
  call(1);
  ask("elicitation/create", form, R"("a")");
  ask("roots/list", "{}", R"("b")");
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[0].kind, question_kind::form);
  EXPECT_EQ(asked_[0].server, "srv");
  EXPECT_EQ(asked_[0].call, (msg::call_key{1, 1}));
  protocol_.answer(asked_[1].number, doc(R"({"roots":[]})"));
  protocol_.answer(asked_[0].number, doc(R"({"action":"accept","content":{"name":"Bob"}})"));
  protocol_.answer(asked_[0].number, doc(R"({"action":"cancel"})"));
  EXPECT_EQ(result_for(R"("b")"), value(R"({"roots":[]})"));
  EXPECT_EQ(result_for(R"("a")"), value(R"({"action":"accept","content":{"name":"Bob","polite":true}})"))
    << "with the defaults of what was left out";
}

TEST_F(client_questions_test, without_an_answer_a_server_hears_what_was_decided) {
  handshake();
  call(1);
  ask("elicitation/create", form, "1");
  ask("elicitation/create", form, "2");
  ask("roots/list", "{}", "3");
  ask("sampling/createMessage", R"({"messages":[]})", "4");
  protocol_.answer(asked_[0].number, fault{errc::not_allowed, "no forms"});
  protocol_.answer(asked_[1].number, fault{errc::call_timeout, "late"});
  protocol_.answer(asked_[2].number, fault{errc::not_allowed, "no roots"});
  protocol_.answer(asked_[3].number, fault{errc::not_allowed, "no model"});
  EXPECT_EQ(result_for("1"), value(R"({"action":"decline"})"));
  EXPECT_EQ(result_for("2"), value(R"({"action":"cancel"})"));
  EXPECT_EQ(result_for("3"), value(R"({"roots":[]})"));
  EXPECT_EQ(sent_.back().at("error").at("code"), json::value(-32601));
  EXPECT_EQ(sent_.back().at("error").at("message"), json::value("no model"));
  ask("sampling/createMessage", R"({"messages":[]})", "5");
  protocol_.answer(asked_[4].number, fault{errc::model_failed, "the user said no"});
  EXPECT_EQ(sent_.back().at("error").at("code"), json::value(-1));
}

TEST_F(client_questions_test, the_stream_says_whose_question_it_is) {
  handshake();
  asker_.client = 1;
  auto first = call(1);
  asker_.client = 2;
  call(2);
  ask("roots/list", "{}", "1", first);
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].call.call, 1u);
}

TEST_F(client_questions_test, a_question_that_belongs_to_nobody_reaches_nobody) {
  handshake();
  ask("elicitation/create", form, "1"); // no call is open
  asker_.client = 1;
  call(1);
  asker_.client = 2;
  auto other = call(2);
  ask("elicitation/create", form, "2"); // of two clients
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(result_for("1"), value(R"({"action":"decline"})"));
  EXPECT_EQ(result_for("2"), value(R"({"action":"decline"})"));
  respond(other, R"({"content":[]})");
  ask("elicitation/create", form, "3");
  ASSERT_EQ(asked_.size(), 1u) << "of one";
  EXPECT_EQ(asked_[0].call.call, 1u);
  EXPECT_TRUE(asked_[0].is_sure);
  asker_.client = 1;
  call(3);
  ask("elicitation/create", form, "4");
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[1].call.call, 3u);
  EXPECT_FALSE(asked_[1].is_sure) << "it may be of the other one";
}

/// The server may work on a call that nobody waits for, and ask for it.
TEST_F(client_questions_test, a_call_that_was_given_up_has_its_client_still) {
  handshake();
  asker_.client = 1;
  auto first = call(1);
  protocol_.calls().cancel({1, 1}, "late");
  protocol_.calls().forget_cancelled([](auto) { return false; });
  asker_.client = 2;
  call(2);
  ask("elicitation/create", form, "1");
  ask("elicitation/create", form, "2", first);
  EXPECT_TRUE(asked_.empty());
  respond(first, R"({"content":[]})");
  ask("elicitation/create", form, "3");
  EXPECT_EQ(asked_.size(), 1u);
}

/// As the specification has it, a server does not answer what was cancelled.
TEST_F(client_questions_test, any_number_of_calls_of_one_client_may_be_given_up) {
  handshake();
  asker_.client = 1;
  for (uint64_t i = 1; i <= 3'000; ++i) {
    call(i);
    protocol_.calls().cancel({1, i}, "late");
  }
  call(4'000);
  ask("elicitation/create", form, "1");
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_FALSE(asked_[0].is_sure);
  asker_.client = 2;
  call(4'001);
  ask("elicitation/create", form, "2");
  EXPECT_EQ(asked_.size(), 1u) << "of another client's that nobody remembers by number";
}

TEST_F(client_questions_test, withdrawn_by_the_server) {
  handshake();
  call(1);
  ask("elicitation/create", form, R"("a")");
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}})");
  EXPECT_TRUE(withdrawn_.empty());
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  ASSERT_EQ(withdrawn_.size(), 1u);
  EXPECT_EQ(withdrawn_[0], asked_[0].number);
  auto before = sent_.size();
  protocol_.answer(asked_[0].number, doc("{}"));
  EXPECT_EQ(sent_.size(), before);
}

TEST_F(client_questions_test, an_id_in_use_is_refused) {
  handshake();
  call(1);
  ask("roots/list", "{}", "5");
  ask("roots/list", "{}", "5");
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(sent_.back().at("error").at("code"), json::value(-32600));
}

TEST_F(client_questions_test, too_many_and_too_much) {
  handshake();
  call(1);
  for (size_t i = 0; i < mcp::server_questions_max + 5; ++i)
    ask("elicitation/create", form, std::to_string(100 + i));
  EXPECT_EQ(asked_.size(), mcp::server_questions_max);
  EXPECT_EQ(sent_.back().at("result"), value(R"({"action":"cancel"})"));
  protocol_.answer(asked_[0].number, doc(R"({"action":"decline"})"));
  ask("elicitation/create", R"({"message":")" + std::string(msg::question_bytes_max, 'x') + "\"}", "1000");
  EXPECT_EQ(asked_.size(), mcp::server_questions_max);
}

TEST_F(client_questions_test, the_end_of_the_connection_withdraws_them) {
  handshake();
  call(1);
  ask("roots/list", "{}", "1");
  protocol_.fail_all({errc::server_died, "gone"});
  EXPECT_EQ(withdrawn_.size(), 1u);
  auto before = sent_.size();
  protocol_.answer(asked_[0].number, doc(R"({"roots":[]})"));
  EXPECT_EQ(sent_.size(), before);
}

TEST_F(client_questions_test, odd_schemas_have_no_defaults) {
  handshake();
  call(1);
  for (auto* odd : {R"({"requestedSchema":true})", R"({"requestedSchema":{"properties":[1]}})",
                    R"({"requestedSchema":{"properties":{"a":true,"b":{"default":null}}}})"}) {
    ask("elicitation/create", odd, "9");
    protocol_.answer(asked_.back().number, doc(R"({"action":"accept","content":{}})"));
    EXPECT_EQ(sent_.back().at("result"), value(R"({"action":"accept","content":{}})")) << odd;
  }
}

// ---- rounds of servers that do not --------------------------------------------------------------

TEST_F(client_questions_test, the_same_call_is_made_again_with_what_was_asked) {
  asker_.abilities.fills_forms = true;
  discover();
  auto first = call(1, true, R"({"a":1})");
  EXPECT_EQ(sent_.back().at("params").at("_meta").at(mcp::meta_key::capabilities),
            value(R"({"elicitation":{"form":{}}})"));
  respond(first, wants(R"({"k":{"method":"elicitation/create","params":)" + std::string{form}
                         + R"(},"r":{"method":"roots/list"}})",
                       R"("opaque \u0000")"));
  EXPECT_TRUE(answers_.empty());
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(protocol_.calls().size(), 1u);
  protocol_.answer(asked_[1].number, doc(R"({"roots":[]})"));
  EXPECT_EQ(last_id(), first) << "all answers are needed";
  protocol_.answer(asked_[0].number, doc(R"({"action":"accept","content":{"name":"Bob"}})"));
  auto again = last("tools/call");
  EXPECT_NE(last_id(), first);
  auto& params = again.at("params").as_object();
  EXPECT_EQ(params.at("arguments"), value(R"({"a":1})"));
  EXPECT_EQ(params.at("requestState"), value(R"("opaque \u0000")"));
  EXPECT_EQ(params.at("inputResponses"),
            value(R"({"r":{"roots":[]},"k":{"action":"accept","content":{"name":"Bob","polite":true}}})"));
  EXPECT_EQ(params.at("_meta").at("progressToken"), json::value(last_id()));
  EXPECT_EQ(labels_.name, "tool");
  respond(last_id(), R"({"resultType":"complete","content":[]})");
  EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(client_questions_test, nothing_is_sent_back_that_was_not_given) {
  discover();
  respond(call(1), R"({"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}})");
  protocol_.answer(asked_[0].number, doc(R"({"roots":[]})"));
  EXPECT_FALSE(last("tools/call").at("params").as_object().contains("requestState"));
  respond(last_id(), R"({"resultType":"input_required","requestState":"s"})");
  EXPECT_EQ(pauses_, 1);
  protocol_.calls().rounds().go_on({});
  EXPECT_FALSE(last("tools/call").at("params").as_object().contains("inputResponses"));
  EXPECT_EQ(last("tools/call").at("params").at("requestState"), json::value("s"));
  EXPECT_EQ(call(2), last_id());
  EXPECT_FALSE(last("tools/call").at("params").as_object().contains("requestState")) << "it is of one call";
}

TEST_F(client_questions_test, rounds_are_bounded) {
  discover();
  call(1);
  for (uint32_t i = 0; i < mcp::input_rounds_max; ++i) {
    ASSERT_TRUE(answers_.empty()) << i;
    respond(last_id(), wants("{}", R"("s")"));
    protocol_.calls().rounds().go_on({});
  }
  respond(last_id(), wants("{}", R"("s")"));
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::limit_exceeded);
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

TEST_F(client_questions_test, what_can_not_be_answered_fails_the_call) {
  discover();
  struct {
    const char* requests;
    const char* state;
  } const odd[] = {{"[]", R"("s")"},
                   {R"({"a":{"method":"tools/call"}})", R"("s")"},
                   {R"({"a":7})", R"("s")"},
                   {R"({"a":{"method":"roots/list","params":[]}})", R"("s")"},
                   {"{}", "7"},
                   {"{}", "null"}};
  for (auto& each : odd) {
    answers_.clear();
    respond(call(1), wants(each.requests, each.state));
    ASSERT_EQ(answers_.size(), 1u) << each.requests;
    EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation) << each.requests;
  }
  answers_.clear();
  respond(call(1), R"({"resultType":"input_required"})");
  EXPECT_EQ(answers_.at(0).result.error.code, errc::protocol_violation);
  answers_.clear();
  respond(call(1), R"({"resultType":"input_required","inputRequests":{"m":{"method":"sampling/createMessage"}}})");
  protocol_.answer(asked_.back().number, fault{errc::not_allowed, "no model"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_NE(answers_[0].result.error.message.find("no model"), std::string::npos);
}

TEST_F(client_questions_test, a_listing_may_not_ask) {
  discover();
  client_protocol_test::ask(msg::child_method::list_resources);
  respond(last_id(), wants("{}", R"("s")"));
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation);
}

TEST_F(client_questions_test, a_call_that_ends_between_rounds_leaves_nothing) {
  discover();
  respond(call(1), wants(R"({"r":{"method":"roots/list"}})", R"("s")"));
  auto before = sent_.size();
  EXPECT_TRUE(protocol_.calls().cancel({1, 1}, "over"));
  EXPECT_EQ(sent_.size(), before) << "nothing is in flight that could be cancelled";
  EXPECT_EQ(withdrawn_.size(), 1u);
  protocol_.answer(asked_[0].number, doc(R"({"roots":[]})"));
  EXPECT_EQ(sent_.size(), before);
  respond(call(2), wants(R"({"r":{"method":"roots/list"}})", R"("s")"));
  protocol_.fail_all({errc::server_died, "gone"});
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key.call, 2u);
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

TEST_F(client_questions_test, a_server_that_reads_no_more_fails_the_second_round) {
  discover();
  respond(call(1), wants(R"({"r":{"method":"roots/list"}})", R"("s")"));
  queue_full_ = true;
  protocol_.answer(asked_[0].number, doc(R"({"roots":[]})"));
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::overloaded);
}

} // namespace mcp_client_questions_test
