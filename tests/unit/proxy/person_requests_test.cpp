#include "proxy/person_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/asked_form.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace proxy_person_requests_test {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;

std::string announced(std::string_view text) {
  auto calls = proxy::parse_announced(text);
  return calls ? calls->tool.full_name + "|" + std::to_string(calls->count) : "none";
}

TEST(person_requests, announcements) {
  EXPECT_EQ(announced("mcp__github__create_issue x 12"), "mcp__github__create_issue|12");
  EXPECT_EQ(announced("mcp__github__create_issue"), "mcp__github__create_issue|1");
  EXPECT_EQ(announced("  mcp__a__b   X3 "), "mcp__a__b|3");
  EXPECT_EQ(announced("mcp__a__b \u00d7 10000"), "mcp__a__b|10000");
  EXPECT_EQ(announced("mcp__my server__read file x 2 x 4"), "mcp__my server__read file x 2|4");
  EXPECT_EQ(announced("mcp__a__b2"), "mcp__a__b2|1");
  EXPECT_EQ(announced("mcp__a__max3"), "mcp__a__max3|1") << "no space before it: a part of the name";
  EXPECT_EQ(announced("mcp__a__b x -3"), "mcp__a__b x -3|1") << "a name that no tool has";
  for (auto* wrong :
       {"", "   ", "mcp__a__b x 0", "mcp__a__b x 10001", "mcp__a__b x 99999999999999999999", "mcp__a__* x 3", "*"})
    EXPECT_EQ(announced(wrong), "none") << wrong;
  EXPECT_EQ(announced(std::string(limits::pattern_bytes_max + 1, 'a')), "none");
  EXPECT_EQ(announced(std::string_view{"mcp__a__b\0c x 2", 15}), std::string("mcp__a__b\0c|2", 13));
}

msg::outcome<proxy::guest_approval> approval(std::string_view params) {
  auto parsed = *proxy::parse_person_request("approve", 7, test::object(params));
  if (!parsed.ok())
    return parsed.error;
  return std::get<proxy::guest_approval>(parsed.value);
}

TEST(person_requests, approvals) {
  EXPECT_TRUE(approval("{}").value.calls.empty()) << "all";
  EXPECT_TRUE(approval(R"({"summary":null})").value.calls.empty());
  auto several = approval(R"({"summary":["mcp__a__b x 2","mcp__a__c","mcp__a__b x 3"]})");
  ASSERT_EQ(several.value.calls.size(), 2u);
  EXPECT_EQ(several.value.calls[0].count, 5u);
  EXPECT_EQ(several.value.calls[1].count, 1u);
  EXPECT_EQ(approval(R"({"summary":"mcp__a__b x 2"})").value.calls.at(0).count, 2u);
  EXPECT_EQ(approval(R"({"summary":{"mcp__a__b":4}})").value.calls.at(0).count, 4u);
  auto most = approval(R"({"summary":["mcp__a__b x 10000","mcp__a__b x 10000"]})");
  EXPECT_EQ(most.value.calls.at(0).count, limits::tool_calls_max) << "a run makes no more";
  for (auto* wrong : {R"({"summary":[]})", R"({"summary":5})", R"({"summary":[5]})", R"({"summary":[""]})",
                      R"({"summary":{"mcp__a__b":"2"}})", R"({"summary":{"mcp__a__b":0}})", R"({"summary":{}})",
                      R"({"summary":["mcp__a__*"]})", R"({"summary":true})"})
    EXPECT_EQ(approval(wrong).error.code, errc::invalid_argument) << wrong;
  json::array many;
  for (size_t i = 0; i <= proxy::announced_tools_max; ++i)
    many.emplace_back("mcp__a__t" + std::to_string(i));
  auto too_many = *proxy::parse_person_request("approve", 7, {{"summary", many}});
  EXPECT_NE(too_many.error.message.find("at most 20 tools"), std::string::npos) << too_many.error.message;
}

msg::outcome<proxy::guest_question> question(const json::object& params) {
  auto parsed = *proxy::parse_person_request("ask", 7, params);
  if (!parsed.ok())
    return parsed.error;
  return std::get<proxy::guest_question>(parsed.value);
}

TEST(person_requests, questions) {
  auto plain = question({{"message", "Which label?"}});
  EXPECT_EQ(plain.value.id, 7u);
  EXPECT_EQ(plain.value.message, "Which label?");
  EXPECT_EQ(plain.value.form.value(), test::value(R"({"type":"object","properties":{"answer":{"type":"string"}},
                                                      "required":["answer"]})"));
  EXPECT_EQ(question({{"message", std::string(proxy::asked_message_bytes_max, 'x')}}).error.code, errc::none);
  for (auto& wrong :
       {json::value(nullptr), json::value(5), json::value(""), json::value(" \t"),
        json::value(std::string(proxy::asked_message_bytes_max + 1, 'x')), json::value(std::string(16u << 20, 'x'))}) {
    auto refused = question({{"message", wrong}});
    EXPECT_EQ(refused.error.code, errc::invalid_argument);
    EXPECT_LT(refused.error.message.size(), 300u);
  }
  EXPECT_FALSE(proxy::parse_person_request("asks", 7, {}));
}

std::string form(std::string_view schema) {
  auto given = test::value(schema);
  auto made = proxy::asked_form("askUser", &given);
  return made.ok() ? json::serialize(made.value) : made.error.message;
}

TEST(asked_form, as_clients_show_it) {
  EXPECT_EQ(form(R"({"type":"object","additionalProperties":false,"title":"T","properties":
                     {"n":{"type":"integer","minimum":1,"maximum":9,"default":3,"title":"N"}},"required":["n"]})"),
            R"({"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9,"default":3,"title":"N"}},)"
            R"("required":["n"]})");
  EXPECT_EQ(
    form(R"({"properties":{"ok":{"type":"boolean","default":false,"description":"a\nb\u001b[2K"}}})"),
    R"({"type":"object","properties":{"ok":{"type":"boolean","default":false,"description":"a\\nb\\u001b[2K"}}})");
  EXPECT_EQ(form(R"({"type":"string","format":"email"})"),
            R"({"type":"object","properties":{"answer":{"type":"string","format":"email"}},"required":["answer"]})");
  EXPECT_EQ(form(R"({"enum":["a","b"],"enumNames":["A","B"]})"),
            R"({"type":"object","properties":{"answer":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}},)"
            R"("required":["answer"]})");
}

TEST(asked_form, what_it_can_not_show_is_refused) {
  struct {
    const char *schema, *says;
  } const cases[] = {
    {R"([])", "must be an object"},
    {R"("string")", "must be an object"},
    {R"({})", "1 to 20 properties"},
    {R"({"type":"object","properties":{}})", "1 to 20 properties"},
    {R"({"type":"object","properties":[]})", "1 to 20 properties"},
    {R"({"properties":{"":{"type":"string"}}})", "a name of 1 to 64"},
    {R"({"properties":{"a\u0000b":{"type":"string"}}})", "without control characters"},
    {R"({"properties":{"a":5}})", "must be an object"},
    {R"({"properties":{"a":{"type":"object","properties":{}}}})", "forms are flat"},
    {R"({"properties":{"a":{"type":"array","items":{}}}})", "forms are flat"},
    {R"({"properties":{"a":{"type":["string","null"]}}})", "of one type"},
    {R"({"properties":{"a":{"anyOf":[]}}})", "of one type"},
    {R"({"properties":{"a":{"type":"string","pattern":"x"}}})", "'pattern'"},
    {R"({"properties":{"a":{"type":"boolean","minimum":1}}})", "'minimum'"},
    {R"({"properties":{"a":{"type":"string","format":"password"}}})", "one of the formats"},
    {R"({"properties":{"a":{"type":"string","minLength":-1}}})", "from 0"},
    {R"({"properties":{"a":{"type":"string","maxLength":"5"}}})", "from 0"},
    {R"({"properties":{"a":{"type":"number","maximum":"5"}}})", "a number"},
    {R"({"properties":{"a":{"type":"integer","default":1.5}}})", "default"},
    {R"({"properties":{"a":{"type":"string","default":{}}}})", "default"},
    {R"({"properties":{"a":{"type":"string","enum":["x"],"default":"y"}}})", "default"},
    {R"({"properties":{"a":{"type":"string","enum":[]}}})", "1 to 100 texts"},
    {R"({"properties":{"a":{"type":"string","enum":"x"}}})", "1 to 100 texts"},
    {R"({"properties":{"a":{"type":"string","enum":[5]}}})", "without control characters"},
    {R"({"properties":{"a":{"type":"string","enum":["x\u001b[2K"]}}})", "without control characters"},
    {R"({"properties":{"a":{"type":"string","enum":["x"],"enumNames":[]}}})", "1 to 100 texts"},
    {R"({"properties":{"a":{"type":"string","enumNames":["x"]}}})", "enumNames"},
    {R"({"properties":{"a":{"type":"string","title":5}}})", "a text as 'title'"},
    {R"({"properties":{"a":{"type":"string"}},"required":["b"]})", "none of its properties"},
    {R"({"properties":{"a":{"type":"string"}},"required":"a"})", "'required'"},
    {R"({"properties":{"a":{"type":"string"}},"required":["a","a"]})", "'required'"},
  };
  for (auto& c : cases) {
    auto told = form(c.schema);
    EXPECT_TRUE(told.starts_with("askUser: ")) << c.schema << ": " << told;
    EXPECT_NE(told.find(c.says), std::string::npos) << c.schema << ": " << told;
  }
}

TEST(asked_form, is_bounded) {
  json::object fields;
  for (size_t i = 0; i <= proxy::form_fields_max; ++i)
    fields["f" + std::to_string(i)] = json::object{{"type", "string"}};
  json::value many = json::object{{"properties", fields}};
  EXPECT_FALSE(proxy::asked_form("askUser", &many).ok());
  auto described = [](std::string text) {
    json::value schema = json::object{{"type", "string"}, {"description", std::move(text)}};
    return proxy::asked_form("askUser", &schema);
  };
  EXPECT_TRUE(described(std::string(proxy::form_bytes_max - 100, 'x')).ok());
  EXPECT_NE(described(std::string(16u << 20, 'x')).error.message.find("bytes of text"), std::string::npos);
}

TEST(asked_form, answers_are_held_against_it) {
  auto form = test::object(R"({"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string",
                               "maxLength":2},"e":{"type":"string","enum":["a","b"],"default":"b"},"b":{"type":"boolean"}},
                               "required":["n"]})");
  auto filled = [&](std::string_view content) {
    auto given = test::object(content);
    auto out = proxy::filled_form(form, &given);
    return out.ok() ? json::serialize(out.value) : std::string{to_string(out.error.code)};
  };
  EXPECT_EQ(filled(R"({"n":1,"s":"\u00e9\u00e9","b":true,"other":[1]})"), R"({"n":1,"s":"éé","e":"b","b":true})");
  EXPECT_EQ(filled(R"({"n":2,"s":null,"e":"a"})"), R"({"n":2,"e":"a"})");
  for (auto* wrong : {R"({})", R"({"n":0})", R"({"n":"1"})", R"({"n":1.5})", R"({"n":1,"s":"abc"})",
                      R"({"n":1,"e":"c"})", R"({"n":1,"b":"yes"})", R"({"n":null})"})
    EXPECT_EQ(filled(wrong), "protocol_violation") << wrong;
  EXPECT_FALSE(proxy::filled_form(form, nullptr).ok());
}

} // namespace proxy_person_requests_test
