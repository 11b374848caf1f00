// What is too large to be copied where everybody waits for it.
#include "tests/unit/mcp/relay/relay_fixture.hpp"

#include <string>

namespace mcp_relay_test {

namespace {

/// Three bytes each, and more than that in memory.
std::string many_values(size_t count) {
  std::string list = "[1";
  for (size_t i = 0; i < count; ++i)
    list += ",[]";
  return list + "]";
}

const std::string large = R"({"m":)" + many_values(50'000) + "}";

} // namespace

class relay_large_test : public relay_test {};

TEST_F(relay_large_test, meta_of_a_request_is_refused) {
  legacy_pair();
  auto before = server_->sent.size();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":)" + large + "}}");
  EXPECT_EQ(sent_.back().at("error").at("code"), -32602);
  EXPECT_EQ(server_->sent.size(), before);
  client_says(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":)" + large + "}}");
  EXPECT_EQ(asked("tools/call").at("params").at("name"), "t") << "arguments may be large";
}

TEST_F(relay_large_test, of_an_error_there_are_code_and_message) {
  legacy_pair();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"some/thing"})");
  answer_error("some/thing", R"({"code":-7,"message":"why","data":)" + large + "}");
  auto& error = sent_.back().at("error").as_object();
  EXPECT_EQ(error.at("code"), -7);
  EXPECT_TRUE(error.at("message").as_string().starts_with("why (this error has more than 64 KiB"));
  EXPECT_FALSE(error.contains("data"));
}

TEST_F(relay_large_test, meta_of_a_result_goes_as_it_is) {
  modern_before_legacy();
  client_says(modern("1", "tools/call", R"("name":"t")"));
  answer("tools/call", R"({"content":[],"_meta":)" + large + "}");
  auto& result = sent_.back().at("result").as_object();
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("_meta").as_object().size(), 1u) << "without the name of the server";
}

TEST_F(relay_large_test, a_question_to_a_later_client_is_refused) {
  modern_before_legacy(R"({"elicitation":{}})");
  client_says(modern("1", "tools/call", R"("name":"t")", R"({"elicitation":{}})"), 7);
  server_says(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","_meta":)"
              + many_values(1'500'000) + "}}");
  EXPECT_EQ(server_->sent.back().at("error").at("code"), -32602);
}

} // namespace mcp_relay_test
