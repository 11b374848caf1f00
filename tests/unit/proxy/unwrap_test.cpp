#include "proxy/unwrap.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace proxy_unwrap_test {

namespace json = boost::json;
using test::doc;

TEST(unwrap, gives_what_the_contract_says) { // section 2: "What a tool call returns"
  struct {
    const char *result, *value;
  } const cases[] = {
    // structuredContent, whatever else there is
    {R"({"content":[{"type":"text","text":"{\"b\":2}"}],"structuredContent":{"a":1}})", R"({"a":1})"},
    {R"({"content":[],"structuredContent":{}})", "{}"},
    {R"({"structuredContent":[1]})", "[1]"},
    {R"({"content":[{"type":"text","text":"x"}],"structuredContent":null})", "\"x\""},
    // one text block: parsed if it is an object or a list
    {R"({"content":[{"type":"text","text":"{\"a\":[1,2]}"}]})", R"({"a":[1,2]})"},
    {R"({"content":[{"type":"text","text":" \n[1, 2]\n"}]})", "[1,2]"},
    {R"({"content":[{"type":"text","text":"007"}]})", "\"007\""},
    {R"({"content":[{"type":"text","text":"1"}]})", "\"1\""},
    {R"({"content":[{"type":"text","text":"true"}]})", "\"true\""},
    {R"({"content":[{"type":"text","text":"null"}]})", "\"null\""},
    {R"({"content":[{"type":"text","text":"\"quoted\""}]})", R"("\"quoted\"")"},
    {R"({"content":[{"type":"text","text":""}]})", "\"\""},
    {R"({"content":[{"type":"text","text":"{broken"}]})", "\"{broken\""},
    {R"({"content":[{"type":"text","text":"[1] and more"}]})", "\"[1] and more\""},
    {R"({"content":[{"type":"text","text":"{}"}],"isError":false})", "{}"},
    {R"({"content":[{"text":"{}","type":"text"}]})", "{}"},
    // another block: the block
    {R"({"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]})",
     R"({"type":"image","data":"AA==","mimeType":"image/png"})"},
    {R"({"content":[{"type":"text","text":"x","annotations":{"priority":1}}]})",
     R"({"type":"text","text":"x","annotations":{"priority":1}})"},
    {R"({"content":[{"type":"text"}]})", R"({"type":"text"})"},
    {R"({"content":[{"type":"text","text":5}]})", R"({"type":"text","text":5})"},
    {R"({"content":["odd"]})", "\"odd\""},
    {R"({"content":[null]})", "null"},
    // several, or none: the list
    {R"({"content":[{"type":"text","text":"{}"},{"type":"text","text":"b"}]})",
     R"([{"type":"text","text":"{}"},{"type":"text","text":"b"}])"},
    {R"({"content":[]})", "[]"},
    // no list at all: nothing is lost
    {R"({})", "{}"},
    {R"({"toolResult":5})", R"({"toolResult":5})"},
    {R"({"content":"text"})", R"({"content":"text"})"},
    {R"({"content":null,"x":1})", R"({"content":null,"x":1})"},
    // no error
    {R"({"content":[{"type":"text","text":"x"}],"isError":false})", "\"x\""},
    {R"({"content":[{"type":"text","text":"x"}],"isError":null})", "\"x\""},
  };
  for (auto& c : cases) {
    auto got = proxy::unwrap(doc(c.result));
    ASSERT_TRUE(got.ok()) << c.result << ": " << got.error.message;
    EXPECT_EQ(got.value.text(), c.value) << c.result;
  }
}

TEST(unwrap, errors_throw_with_the_text_of_the_tool) {
  struct {
    const char *result, *message;
  } const cases[] = {
    {R"({"content":[{"type":"text","text":"no such file"}],"isError":true})", "no such file"},
    {R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true})", "a\nb"},
    {R"({"content":[{"type":"image","data":"x"}],"isError":true})", R"({"type":"image","data":"x"})"},
    {R"({"content":[],"isError":true})", "the tool failed and did not say why"},
    {R"({"isError":true})", "the tool failed and did not say why"},
    {R"({"content":"x","isError":true})", "the tool failed and did not say why"},
    {R"({"content":[{"type":"text","text":"a"}],"structuredContent":{"code":42},"isError":true})", "a\n{\"code\":42}"},
    {R"({"content":[{"type":"text","text":"{ \"code\": 42 }"}],"structuredContent":{"code":42},"isError":true})",
     "{ \"code\": 42 }"},
    {R"({"content":[{"type":"text","text":"a"}],"structuredContent":null,"isError":true})", "a"},
    {R"({"content":[{"type":"text","text":"a"}],"isError":"true"})",
     R"(a (the server's "isError" is "true", which is neither true nor false, and counts as true))"},
    {R"({"content":[{"type":"text","text":"a"}],"isError":0})",
     R"(a (the server's "isError" is 0, which is neither true nor false, and counts as true))"},
  };
  for (auto& c : cases) {
    auto got = proxy::unwrap(doc(c.result));
    EXPECT_EQ(got.error.code, msg::errc::tool_failed) << c.result;
    EXPECT_EQ(got.error.message, c.message) << c.result;
  }
}

TEST(unwrap, the_text_of_an_error_is_bounded) {
  auto text = std::string(4u << 20, 'x');
  auto block = json::value{{"type", "text"}, {"text", text}};
  for (auto& result :
       {json::value{{"content", json::array{block}}, {"isError", true}},
        json::value{{"content", json::array{block, block}}, {"isError", true}},
        json::value{{"content", json::array{json::value{{"type", "other"}, {"data", text}}}}, {"isError", true}},
        json::value{{"structuredContent", {{"data", text}}}, {"isError", true}}}) {
    auto got = proxy::unwrap(msg::document{result});
    EXPECT_LT(got.error.message.size(), msg::limits::child_error_bytes_max + 100);
    EXPECT_TRUE(got.error.message.ends_with("[... cut after 262144 bytes]"))
      << got.error.message.substr(got.error.message.size() - 50);
  }
}

TEST(unwrap, an_error_without_text_keeps_what_was_structured) { // "Nothing that the child sent is lost"
  auto got = proxy::unwrap(doc(R"({"content":[],"structuredContent":{"reason":"quota"},"isError":true})"));
  EXPECT_EQ(got.error.code, msg::errc::tool_failed);
  EXPECT_NE(got.error.message.find("quota"), std::string::npos) << got.error.message;
}

TEST(unwrap, tells_of_blocks_that_no_program_reaches) {
  auto lost = [](const char* result) { return proxy::lost_beside_structured(doc(result)); };
  EXPECT_EQ(lost(R"({"structuredContent":{},"content":[{"type":"text","text":"{}"},{"type":"image","data":"AA=="}]})"),
            "sent 1 block that is no text beside its structuredContent, which is what a call returns");
  for (auto* whole :
       {R"({"structuredContent":{},"content":[{"type":"text","text":"{}"}]})", R"({"structuredContent":{}})",
        R"({"content":[{"type":"image"}]})", R"({"structuredContent":null,"content":[{"type":"image"}]})",
        R"({"structuredContent":{},"content":[{"type":"image"}],"isError":true})", "[]"})
    EXPECT_EQ(lost(whole), "") << whole;
}

TEST(unwrap, shares_instead_of_copying) {
  auto result = doc(R"({"structuredContent":{"a":[1,2,3]}})");
  auto got = proxy::unwrap(result);
  EXPECT_EQ(&got.value.value(), &result.value().at("structuredContent"));
}

TEST(unwrap, json_that_is_nested_too_deeply_stays_text) {
  auto deep = std::string(500, '[') + std::string(500, ']');
  auto got = proxy::unwrap(doc(R"({"content":[{"type":"text","text":")" + deep + "\"}]}"));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value.text(), "\"" + deep + "\"");
}

TEST(unwrap, json_that_would_take_too_much_memory_stays_text) {
  std::string text = R"([{"":0})";
  while (text.size() < 16u << 20)
    text += R"(,{"":0})";
  auto result = proxy::unwrap(msg::document{
    boost::json::object{{"content", boost::json::array{boost::json::object{{"type", "text"}, {"text", text + "]"}}}}}});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.value.value().is_string());
}

TEST(unwrap, takes_any_object) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    boost::json::object result;
    for (auto* key : {"content", "structuredContent", "isError"})
      if (random.below(3))
        result[key] = random.value(3);
    if (random.below(2))
      result["isError"] = random.below(2) == 0;
    auto got = proxy::unwrap(msg::document{result});
    EXPECT_TRUE(got.ok() || got.error.code == msg::errc::tool_failed) << "seed " << seed;
  }
}

} // namespace proxy_unwrap_test
