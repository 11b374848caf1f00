#include "mcp/opening_answer.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_opening_answer_test {

namespace json = boost::json;
using kind = mcp::opening_answer::kind;

json::value response(std::string_view result) {
  return test::value(R"({"jsonrpc":"2.0","id":1,"result":)" + std::string{result} + "}");
}

mcp::opening_answer handshake(const std::string& info) {
  auto message = response(R"({"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":)" + info + "}");
  return mcp::read_handshake(mcp::classify(message), {});
}

mcp::opening_answer discovery(const std::string& meta) {
  auto message = response(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":)" + meta + "}");
  return mcp::read_discovery(mcp::classify(message), {});
}

/// Its address or its command may say nothing of it: a proxy, a tunnel, a container.
TEST(opening_answer, of_this_program_is_a_failure_that_says_so) {
  for (auto& answer : {handshake(R"({"name":"code-executor","version":"9"})"),
                       discovery(R"({"io.modelcontextprotocol/serverInfo":{"name":"code-executor","version":"9"}})")}) {
    EXPECT_EQ(answer.what, kind::failed);
    EXPECT_NE(answer.problem.find("is this program"), std::string::npos) << answer.problem;
    EXPECT_NE(answer.problem.find("remove its entry"), std::string::npos) << answer.problem;
    EXPECT_FALSE(answer.is_refusal) << "another opening would lead to the same program";
  }
}

TEST(opening_answer, of_all_others_is_taken_as_it_is) {
  for (auto* info : {R"({"name":"code-executor-2"})", R"({"name":["code-executor"]})", R"("code-executor")", "null"}) {
    EXPECT_EQ(handshake(info).what, kind::legacy) << info;
    EXPECT_EQ(discovery(std::string{R"({"io.modelcontextprotocol/serverInfo":)"} + info + "}").what, kind::modern)
      << info;
  }
  EXPECT_EQ(discovery("null").what, kind::modern);
  EXPECT_EQ(discovery("{}").what, kind::modern);
}

} // namespace mcp_opening_answer_test
