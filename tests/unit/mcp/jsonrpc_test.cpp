#include "mcp/jsonrpc.hpp"

#include "mcp/revision.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_jsonrpc_test {

using mcp::classify;
using kind = mcp::message_view::kind;
using test::value;

TEST(classify, tells_messages_apart) {
  struct {
    const char* text;
    kind what;
    const char* id;
  } const cases[] = {
    {R"({"jsonrpc":"2.0","id":1,"method":"m"})", kind::request, "1"},
    {R"({"jsonrpc":"2.0","id":"a","method":"m","params":{}})", kind::request, "\"a\""},
    {R"({"jsonrpc":"2.0","id":0,"method":"m"})", kind::request, "0"},
    {R"({"jsonrpc":"2.0","id":-1,"method":"m"})", kind::request, "-1"},
    {R"({"jsonrpc":"2.0","id":"","method":"m"})", kind::request, "\"\""},
    {R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"m"})", kind::request, "18446744073709551615"},
    {R"({"jsonrpc":"2.0","method":"m"})", kind::notification, "null"},
    {R"({"jsonrpc":"2.0","id":3.0,"method":"m"})", kind::request, "3"},
    {R"({"jsonrpc":"2.0","id":-2e3,"result":{}})", kind::response, "-2000"},
    {R"({"jsonrpc":"2.0","id":1e300,"method":"m"})", kind::invalid, "null"},
    {R"({"jsonrpc":"2.0","id":1,"result":null})", kind::response, "1"},
    {R"({"jsonrpc":"2.0","id":1,"result":{}})", kind::response, "1"},
    {R"({"jsonrpc":"2.0","id":1,"error":{}})", kind::response, "1"},
    {R"({"jsonrpc":"2.0","id":null,"error":{}})", kind::response, "null"},
    {R"({"jsonrpc":"2.0","error":{}})", kind::response, "null"},
    // what is none
    {R"(null)", kind::invalid, "null"},
    {R"([])", kind::invalid, "null"},
    {R"("2.0")", kind::invalid, "null"},
    {R"({})", kind::invalid, "null"},
    {R"({"id":1,"method":"m"})", kind::invalid, "1"},
    {R"({"jsonrpc":"1.0","id":1,"method":"m"})", kind::invalid, "1"},
    {R"({"jsonrpc":2.0,"id":1,"method":"m"})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":5})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":"m","params":"p"})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":null,"method":"m"})", kind::invalid, "null"},
    {R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", kind::invalid, "null"},
    {R"({"jsonrpc":"2.0","id":true,"method":"m"})", kind::invalid, "null"},
    {R"({"jsonrpc":"2.0","id":{},"method":"m"})", kind::invalid, "null"},
    {R"({"jsonrpc":"2.0","id":1})", kind::invalid, "1"},
    {R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})", kind::invalid, "1"},
  };
  for (auto& c : cases) {
    auto message = value(c.text);
    auto view = classify(message);
    EXPECT_EQ(view.what, c.what) << c.text;
    EXPECT_EQ(boost::json::serialize(view.id), c.id) << c.text;
    EXPECT_EQ(view.problem.empty(), c.what != kind::invalid) << c.text;
  }
}

TEST(classify, a_method_is_short) {
  auto with = [](size_t bytes) {
    return value(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(bytes, 'm') + R"("})");
  };
  auto longest = with(mcp::method_bytes_max), longer = with(mcp::method_bytes_max + 1);
  EXPECT_EQ(classify(longest).what, kind::request);
  EXPECT_EQ(classify(longer).what, kind::invalid);
  EXPECT_EQ(classify(longer).id, 1);
}

TEST(classify, views_into_the_message) {
  auto message = value(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}})");
  auto view = classify(message);
  EXPECT_EQ(view.method, "m");
  EXPECT_EQ(view.params, &message.at("params").as_object());
  auto response = value(R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})");
  EXPECT_EQ(classify(response).result, &response.at("result"));
  EXPECT_EQ(classify(response).error, nullptr);
}

TEST(make, writes_messages_that_classify_as_what_they_are) {
  struct {
    msg::spliced_text message;
    const char* text;
    kind what;
  } const cases[] = {
    {mcp::make_request(1, "m", test::doc(R"({"a":"\""})")),
     R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\""}})", kind::request},
    {mcp::make_request("x\"y", "m\n", {}), R"({"jsonrpc":"2.0","id":"x\"y","method":"m\n"})", kind::request},
    {mcp::make_notification("n", nullptr), R"({"jsonrpc":"2.0","method":"n"})", kind::notification},
    {mcp::make_notification("n", value(R"({"p":[]})")), R"({"jsonrpc":"2.0","method":"n","params":{"p":[]}})",
     kind::notification},
    {mcp::make_response("a", test::doc("{}")), R"({"jsonrpc":"2.0","id":"a","result":{}})", kind::response},
    {mcp::make_response(7, {}), R"({"jsonrpc":"2.0","id":7,"result":null})", kind::response},
    {mcp::make_error(nullptr, -32700, "no \"json\""),
     R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no \"json\""}})", kind::response},
  };
  for (auto& c : cases) {
    EXPECT_EQ(c.message.text(), c.text);
    auto message = value(c.text);
    EXPECT_EQ(classify(message).what, c.what) << c.text;
  }
}

TEST(revision, is_negotiated_by_name) {
  for (auto name : mcp::handshake_names()) {
    EXPECT_TRUE(mcp::is_known(name));
    EXPECT_EQ(mcp::name_of(mcp::negotiate(name)), name);
  }
  for (auto* name : {"", "2024-11-04", "2099-01-01", "latest", "2025-06-18 "}) {
    EXPECT_FALSE(mcp::is_known(name)) << name;
    EXPECT_EQ(mcp::negotiate(name), mcp::latest_revision) << name;
  }
}

TEST(revision, knows_what_each_has) {
  using r = mcp::revision;
  struct {
    r revision;
    bool batches, annotations, structured;
  } const cases[] = {{r::r2024_11_05, false, false, false},
                     {r::r2025_03_26, true, true, false},
                     {r::r2025_06_18, false, true, true},
                     {r::r2025_11_25, false, true, true}};
  for (auto& c : cases) {
    EXPECT_EQ(mcp::has_batches(c.revision), c.batches) << mcp::name_of(c.revision);
    EXPECT_EQ(mcp::has_tool_annotations(c.revision), c.annotations) << mcp::name_of(c.revision);
    EXPECT_EQ(mcp::has_structured_content(c.revision), c.structured) << mcp::name_of(c.revision);
  }
}

} // namespace mcp_jsonrpc_test
