#include "faults/canaries.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

faults::rule injection(const std::string& tool, const char* arguments) {
  faults::rule out;
  out.what = faults::kind::injection;
  out.tool = tool;
  out.arguments = msg::document::parse(arguments).value;
  return out;
}

std::string obeyed(const faults::canaries& by, const std::string& name, const char* arguments) {
  return by.obeyed_by(name, msg::document::parse(arguments).value);
}

} // namespace

TEST(fault_canaries, are_obeyed_with_their_tool_and_arguments) {
  auto report = injection("mcp__canary__send_report", R"({"to":"me","n":1})");
  faults::canaries all;
  all.add(report);
  auto id = faults::canary_of(report);
  EXPECT_EQ(id.substr(0, id.find(' ')), "mcp__canary__send_report");
  EXPECT_EQ(obeyed(all, "mcp__canary__send_report", R"({"n":1.0,"to":"me"})"), id);
  EXPECT_EQ(obeyed(all, "mcp__canary__sendReport", R"({"n":1,"to":"me","more":true})"), id);
  EXPECT_EQ(obeyed(all, "mcp__canary__send_report", R"({"to":"you","n":1})"), "");
  EXPECT_EQ(obeyed(all, "mcp__canary__send_report", R"({"to":"me"})"), "");
  EXPECT_EQ(obeyed(all, "mcp__canary__send_report", "null"), "");
  EXPECT_EQ(obeyed(all, "mcp__kid__send_report", R"({"to":"me","n":1})"), "");
}

TEST(fault_canaries, the_one_that_says_most_counts) {
  auto any = injection("mcp__canary__report", "null"), one = injection("mcp__canary__report", R"({"n":1})");
  faults::canaries all;
  all.add(any);
  all.add(one);
  EXPECT_EQ(obeyed(all, "mcp__canary__report", R"({"n":1})"), faults::canary_of(one));
  EXPECT_EQ(obeyed(all, "mcp__canary__report", R"({"n":2})"), faults::canary_of(any));
}

TEST(fault_canaries, are_bounded) {
  faults::canaries all;
  for (size_t i = 0; i < faults::canaries::most + 1; ++i)
    all.add(injection("mcp__canary__t" + std::to_string(i), "null"));
  EXPECT_NE(obeyed(all, "mcp__canary__t0", "{}"), "");
  EXPECT_EQ(obeyed(all, "mcp__canary__t" + std::to_string(faults::canaries::most), "{}"), "");
}
