#include "faults/answers.hpp"
#include "faults/changed_tools.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace {

msg::document doc(std::string_view text) { return msg::document::parse(text).value; }

constexpr auto answer =
  R"({"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\"n\":1,\"l\":[true]}"}],"structuredContent":{"n":1,"s":"x"}}})";

} // namespace

TEST(fault_answers, other_types_stay_json) {
  EXPECT_EQ(
    faults::with_other_types(doc(answer)).text(),
    R"({"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\"n\":\"1\",\"l\":{\"0\":true}}"}],"structuredContent":{"n":"1","s":{"value":"x"}}}})");
}

TEST(fault_answers, an_empty_result_is_no_error) {
  EXPECT_EQ(faults::emptied(doc(answer)).text(),
            R"({"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{}}})");
}

TEST(fault_answers, what_is_no_result_stays_as_it_is) {
  auto error = doc(R"({"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no"}})");
  EXPECT_EQ(faults::emptied(error).text(), error.text());
  EXPECT_EQ(faults::enlarged(error, 10).text(), error.text());
  EXPECT_EQ(faults::with_other_types(doc("[]")).text(), "[]");
}

TEST(fault_answers, grow_by_what_is_asked_for) {
  EXPECT_GT(faults::enlarged(doc(answer), 100'000).text().size(), 100'000U);
}

TEST(fault_answers, are_cut_between_characters) {
  auto cut = faults::with_short_texts(doc(R"({"id":1,"result":{"content":[{"type":"text","text":"äöüß"}]}})"), 0.4);
  EXPECT_EQ(cut.text(), R"({"id":1,"result":{"content":[{"type":"text","text":"ä"}]}})");
  EXPECT_FALSE(msg::document::parse(faults::cut_off(doc(answer), 0.5)).ok());
}

TEST(fault_answers, a_canary_names_tool_and_arguments) {
  faults::rule by;
  by.tool = "mcp__canary__report";
  by.arguments = doc(R"({"token":"T1"})");
  auto text = faults::with_canary(doc(answer), by).text();
  EXPECT_NE(text.find("mcp__canary__report with {\\\"token\\\":\\\"T1\\\"}"), text.npos) << text;
}

TEST(fault_answers, a_refusal_says_when_to_come_back) {
  faults::rule by;
  by.what = faults::kind::rate_limited;
  by.code = -32029;
  by.message = "rate limit exceeded";
  EXPECT_EQ(
    faults::refusal(3, by).text(),
    R"({"jsonrpc":"2.0","id":3,"error":{"code":-32029,"message":"rate limit exceeded; retry after 1000 ms","data":{"retryAfterMs":1000}}})");
  by.as = faults::form::result;
  EXPECT_EQ(
    faults::refusal(3, by).text(),
    R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"rate limit exceeded; retry after 1000 ms"}],"isError":true}})");
}

TEST(fault_tools, are_gone_or_have_other_parameters) {
  faults::changed_tools tools;
  EXPECT_TRUE(tools.is_empty());
  EXPECT_TRUE(tools.remove("a"));
  EXPECT_FALSE(tools.remove("a"));
  EXPECT_TRUE(tools.rename_parameter("b", ""));
  auto page = tools.page(doc(
    R"({"id":2,"result":{"tools":[{"name":"a"},{"name":"b","inputSchema":{"type":"object","properties":{"x":{},"y":{}},"required":["y"]}},{"name":"c"}]}})"));
  EXPECT_EQ(
    page.text(),
    R"({"id":2,"result":{"tools":[{"name":"b","inputSchema":{"type":"object","properties":{"x":{},"y_v2":{}},"required":["y_v2"]}},{"name":"c"}]}})");
  EXPECT_EQ(tools.arguments("b", doc(R"({"y_v2":1,"x":2})")).text(), R"({"y":1,"x":2})");
  EXPECT_EQ(tools.arguments("c", doc(R"({"y_v2":1})")).text(), R"({"y_v2":1})");
}
