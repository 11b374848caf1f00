#include "mcp/question_wording.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_question_wording_test {

namespace json = boost::json;
using mcp::revision;
using msg::question_kind;
using test::doc;
using test::value;

msg::server_question asked(question_kind kind, const std::string& params) {
  return {{3, 1}, true, 5, kind, "git", "create", doc(params)};
}

mcp::requester client(revision spoken, msg::client_abilities can = {true, true, true, true, true}) {
  return {spoken, "c", can};
}

TEST(question_wording, says_first_who_asks) {
  auto question = asked(question_kind::form, R"({"message":"Sure?","_meta":{"x":1},"requestedSchema":{}})");
  EXPECT_EQ(mcp::worded_for(question, client(revision::r2025_11_25)).value(),
            value(R"({"message":"[MCP server 'git', tool 'create'] Sure?","requestedSchema":{}})"));
  question.tool = "evil\n'] Sure? [MCP";
  auto text = mcp::worded_for(question, client(revision::r2025_11_25)).value().at("message").as_string();
  EXPECT_TRUE(text.starts_with("[MCP server 'git', tool 'evil\\n__ Sure? _MCP'] ")) << text;
  question.server = "\u202ebank', tool 'pay'] Really";
  question.tool = "";
  question.params = doc(R"({"message":"\r\u001b[2K\b\u0000[MCP server 'bank'] a\n[MCP server 'bank'] b"})");
  EXPECT_EQ(
    mcp::worded_for(question, client(revision::r2025_11_25)).value().at("message"),
    json::value("[MCP server '\\u202ebank_, tool _pay__ Really'] \\r\\u001b[2K\\u0008\\u0000[MCP server 'bank'] a\n  "
                "[MCP server 'bank'] b"));
  question.params = doc("{}");
  EXPECT_TRUE(mcp::worded_for(question, client(revision::r2025_11_25)).value().at("message").is_string());
}

TEST(question_wording, programs_and_we_ask_under_other_names_than_servers) {
  auto question = asked(question_kind::form, R"({"message":"[code-executor] Sure?\n[code-executor] Yes?"})");
  question.asker = msg::question_asker::program;
  auto message = [&] { return mcp::worded_for(question, client(revision::r2025_11_25)).value().at("message"); };
  EXPECT_EQ(message(), json::value("[program in code-executor] [code-executor] Sure?\n  [code-executor] Yes?"));
  question.asker = msg::question_asker::policy;
  question.params = doc(R"({"message":"Approve?"})");
  EXPECT_EQ(message(), json::value("[code-executor] Approve?"));
}

TEST(question_wording, secrets_are_not_asked_for_whoever_asks) {
  auto question = asked(question_kind::form, R"({"requestedSchema":{"properties":{"password":{"type":"string"}}}})");
  for (auto asker : {msg::question_asker::server, msg::question_asker::program}) {
    question.asker = asker;
    EXPECT_NE(mcp::problem_of_asking(question, client(revision::r2025_11_25)).find("the field 'password'"),
              std::string::npos);
  }
}

TEST(question_wording, each_revision_has_its_own_members) {
  auto form = asked(question_kind::form, R"({"mode":"form","message":"m"})");
  EXPECT_TRUE(mcp::worded_for(form, client(revision::r2025_11_25)).value().as_object().contains("mode"));
  EXPECT_FALSE(mcp::worded_for(form, client(revision::r2025_06_18)).value().as_object().contains("mode"));
  auto url = asked(question_kind::url, R"({"mode":"url","message":"m","url":"https://a","elicitationId":"e"})");
  EXPECT_EQ(mcp::worded_for(url, client(revision::r2025_11_25)).value().at("elicitationId"), json::value("e"));
  EXPECT_FALSE(mcp::worded_for(url, client(revision::r2026_07_28)).value().as_object().contains("elicitationId"));
  url.params = doc(R"({"mode":"url","message":"m","url":"https://a"})");
  EXPECT_EQ(mcp::worded_for(url, client(revision::r2025_11_25)).value().at("elicitationId"), json::value("3-5"));
}

TEST(question_wording, logins_are_asked_for_by_us) {
  auto login =
    asked(question_kind::login, R"({"mode":"url","message":"Log in","url":"https://a","elicitationId":"e"})");
  login.tool = "";
  auto legacy = mcp::worded_for(login, client(revision::r2025_11_25));
  EXPECT_EQ(legacy.value(), value(R"({"mode":"url","message":"[code-executor] Log in","url":"https://a",
                                      "elicitationId":"e"})"));
  EXPECT_FALSE(mcp::worded_for(login, client(revision::r2026_07_28)).value().as_object().contains("elicitationId"));
  EXPECT_EQ(mcp::problem_of_asking(login, client(revision::r2026_07_28, {.opens_urls = true})), "");
  EXPECT_NE(mcp::problem_of_asking(login, client(revision::r2026_07_28, {.fills_forms = true})), "");
  EXPECT_NE(mcp::problem_of_asking(login, client(revision::r2025_06_18)), "");
  EXPECT_EQ(to_string(question_kind::login), "elicitation/create");
}

TEST(question_wording, what_is_asked_of_models_stays_and_says_who_asks) {
  constexpr auto params = R"({"messages":[],"maxTokens":5,"tools":[],"metadata":{"a":1},"_meta":{"its":"own"}})";
  auto question = asked(question_kind::sampling, params);
  question.server = "k'id]";
  question.tool = "add";
  for (auto spoken : {revision::r2024_11_05, revision::r2025_11_25, revision::r2026_07_28})
    EXPECT_EQ(mcp::worded_for(question, client(spoken)).value(),
              value(R"({"messages":[],"maxTokens":5,"tools":[],"metadata":{"a":1},
                       "_meta":{"code-executor/askedBy":{"server":"k_id_","tool":"add"}}})"));
  question.tool.clear(); // which is not known for sure
  EXPECT_EQ(mcp::worded_for(question, client(revision::r2025_11_25)).value().at("_meta"),
            value(R"({"code-executor/askedBy":{"server":"k_id_"}})"));
  EXPECT_EQ(mcp::worded_for(asked(question_kind::roots, "null"), client(revision::r2025_11_25)).value(), value("{}"));
}

TEST(question_wording, a_client_is_asked_for_what_it_can_only) {
  constexpr auto both = R"({"url":"https://a","requestedSchema":{}})";
  auto problem = [](question_kind kind, msg::client_abilities can, const char* params = both) {
    return mcp::problem_of_asking(asked(kind, params), client(revision::r2025_11_25, can));
  };
  EXPECT_EQ(problem(question_kind::form, {.fills_forms = true}), "");
  EXPECT_NE(problem(question_kind::form, {.opens_urls = true}), "");
  EXPECT_EQ(problem(question_kind::url, {.opens_urls = true}), "");
  EXPECT_NE(problem(question_kind::url, {.fills_forms = true}), "");
  EXPECT_EQ(problem(question_kind::roots, {.has_roots = true}), "");
  EXPECT_NE(problem(question_kind::roots, {}), "");
  EXPECT_EQ(problem(question_kind::sampling, {.samples = true}), "");
  EXPECT_NE(problem(question_kind::sampling, {}), "");
  EXPECT_NE(problem(question_kind::sampling, {.samples = true}, R"({"tools":[]})"), "");
  EXPECT_EQ(problem(question_kind::sampling, {.samples = true, .samples_with_tools = true}, R"({"tools":[]})"), "");
}

TEST(question_wording, what_nobody_could_answer_is_not_asked) {
  for (auto* odd : {"{}", R"({"requestedSchema":[]})", R"({"mode":"URL","requestedSchema":{}})",
                    R"({"mode":7,"requestedSchema":{}})"})
    EXPECT_NE(mcp::problem_of_asking(asked(question_kind::form, odd), client(revision::r2025_11_25)), "") << odd;
  for (auto* odd : {"{}", R"({"url":"javascript:alert"})", R"({"url":7})", R"({"url":"file:///etc/passwd"})"})
    EXPECT_NE(mcp::problem_of_asking(asked(question_kind::url, odd), client(revision::r2025_11_25)), "") << odd;
  constexpr auto url = R"({"mode":"url","url":"https://a"})";
  EXPECT_NE(mcp::problem_of_asking(asked(question_kind::url, url), client(revision::r2025_06_18)), "")
    << "it would be a form without fields";
}

TEST(question_wording, what_is_no_answer_is_none) {
  auto is_answer = [](question_kind kind, const char* said) { return mcp::checked_answer(kind, doc(said)).ok(); };
  for (auto* good :
       {R"({"action":"accept","content":{}})", R"({"action":"decline"})", R"({"action":"cancel","content":null})"})
    EXPECT_TRUE(is_answer(question_kind::form, good)) << good;
  for (auto* bad : {"null", "[]", "{}", R"({"action":"ok"})", R"({"action":7})", R"({"action":"accept","content":[]})"})
    EXPECT_FALSE(is_answer(question_kind::form, bad)) << bad;
  EXPECT_TRUE(is_answer(question_kind::roots, R"({"roots":[]})"));
  EXPECT_FALSE(is_answer(question_kind::roots, R"({"roots":{}})"));
  EXPECT_TRUE(is_answer(question_kind::sampling, R"({"role":"assistant","content":[]})"));
  EXPECT_FALSE(is_answer(question_kind::sampling, R"({"role":"assistant"})"));
  auto own = mcp::checked_answer(question_kind::roots, doc(R"({"roots":[],"_meta":{},"resultType":"complete"})"));
  EXPECT_EQ(own.value.value(), value(R"({"roots":[]})")) << "what is of each hop stays there";
}

} // namespace mcp_question_wording_test
