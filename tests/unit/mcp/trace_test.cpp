#include "mcp/trace.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_trace_test {

using mcp::read_trace;
using test::object;

constexpr auto sent =
  R"({"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":"a=1,b=2","baggage":"user=7"})";

TEST(trace, goes_on_from_what_the_client_sent) {
  auto trace = read_trace(object(sent));
  EXPECT_EQ(trace.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace.flags, 1);
  EXPECT_EQ(trace.state, "a=1,b=2");
  EXPECT_EQ(trace.baggage, "user=7");
  mcp::begin_trace(trace);
  EXPECT_EQ(trace.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  auto first = mcp::headers_of(trace, 1), second = mcp::headers_of(trace, 2);
  EXPECT_TRUE(first.parent.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
  EXPECT_TRUE(first.parent.ends_with("-01"));
  EXPECT_EQ(first.parent.size(), 55u);
  EXPECT_NE(first.parent, second.parent);
  EXPECT_EQ(first.state, "a=1,b=2");
  EXPECT_EQ(first.baggage, "user=7");
}

TEST(trace, what_is_not_sampled_stays_so) {
  auto trace = read_trace(object(R"({"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"})"));
  EXPECT_TRUE(mcp::headers_of(trace, 1).parent.ends_with("-00"));
}

TEST(trace, begins_at_random_without_one) {
  msg::trace_context a, b;
  mcp::begin_trace(a);
  mcp::begin_trace(b);
  EXPECT_EQ(a.trace_id.size(), 32u);
  EXPECT_NE(a.trace_id, b.trace_id);
  EXPECT_NE(a.span, b.span);
  EXPECT_TRUE(read_trace(object(R"({"traceparent":")" + mcp::headers_of(a, 1).parent + "\"}")).trace_id == a.trace_id);
}

TEST(trace, malformed_ones_are_as_if_they_were_not_there) {
  for (auto parent : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                      "00-4BF92F3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                      "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                      "00-4bf92f3577b34da6a3ce929d0e0e473\\u0000-00f067aa0ba902b7-01"}) {
    auto trace =
      read_trace(object(R"({"tracestate":"a=1","baggage":"b=2","traceparent":")" + std::string{parent} + "\"}"));
    EXPECT_EQ(trace.trace_id, "") << parent;
    EXPECT_EQ(trace.state, "") << "of no trace";
    EXPECT_EQ(trace.baggage, "b=2") << "needs none";
  }
  EXPECT_EQ(read_trace(object(R"({"traceparent":"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later"})"))
              .trace_id.size(),
            32u);
  EXPECT_EQ(read_trace(object(R"({"traceparent":7,"baggage":["x"]})")).baggage, "");
  EXPECT_EQ(read_trace(object(R"({"baggage":"line\nbreak"})")).baggage, "");
  EXPECT_EQ(read_trace(object(R"({"baggage":")" + std::string(10'000, 'x') + "\"}")).baggage, "");
  EXPECT_EQ(mcp::headers_of({}, 1).parent, "");
}

} // namespace mcp_trace_test
