#include "proxy/failing_calls.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace proxy_failing_calls_test {

uint64_t key(std::string_view tool, std::string_view arguments) {
  return proxy::failing_calls::key_of(tool,
                                      proxy::failing_calls::hash_of(msg::document{boost::json::parse(arguments)}));
}

TEST(failing_calls, are_the_same_when_tool_and_arguments_are) {
  EXPECT_EQ(key("t", R"({"a":1,"b":[2]})"), key("t", R"({"b":[2],"a":1})"));
  EXPECT_NE(key("t", R"({"a":1})"), key("t", R"({"a":2})"));
  EXPECT_NE(key("t", R"({"a":1})"), key("u", R"({"a":1})"));
}

TEST(failing_calls, are_refused_after_so_many_and_forgiven_by_a_success) {
  proxy::failing_calls calls;
  auto k = key("t", "{}");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(calls.refused(k, 3), nullptr);
    calls.failed(k, "no such file");
  }
  ASSERT_NE(calls.refused(k, 3), nullptr);
  EXPECT_EQ(*calls.refused(k, 3), "no such file");
  EXPECT_EQ(calls.refused(key("t", "[]"), 3), nullptr);
  calls.succeeded(k);
  EXPECT_EQ(calls.refused(k, 3), nullptr);
}

TEST(failing_calls, are_bounded) {
  proxy::failing_calls calls;
  for (uint64_t i = 1; i <= 5'000; ++i)
    calls.failed(i, "x");
  EXPECT_NE(calls.refused(1, 1), nullptr);
  EXPECT_EQ(calls.refused(5'000, 1), nullptr);
}

} // namespace proxy_failing_calls_test
