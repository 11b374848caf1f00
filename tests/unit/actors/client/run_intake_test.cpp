#include "actors/client/run_intake.hpp"

#include <gtest/gtest.h>

namespace client_run_intake_test {

using boost::json::object;
using surface::output_format;

const auto& python = *surface::find_tool("run-python-code");
const auto& typescript = *surface::find_tool("run-typescript-code");
const auto& bridge = *surface::find_tool("run_python");

client::run_intake intake(std::string python_problem = {}) {
  surface::run_limits limits;
  limits.bridge_format = output_format::toon;
  return {limits, {}, std::move(python_problem)};
}

TEST(run_intake, takes_what_can_run) {
  auto taken = intake().take(bridge, {{"code", "1"}, {"servers", {"fs"}}});
  EXPECT_EQ(taken.refused.code, msg::errc::none) << taken.refused.message;
  EXPECT_EQ(taken.request.code, "1");
  EXPECT_EQ(taken.request.lang, msg::language::python);
  EXPECT_EQ(taken.present.servers, std::vector<std::string>{"fs"});
  EXPECT_EQ(taken.present.format, output_format::toon) << "as it is configured";
}

TEST(run_intake, refuses_wrong_arguments_in_the_format_of_the_tool) {
  auto taken = intake().take(bridge, {{"code", 7}});
  EXPECT_NE(taken.refused.code, msg::errc::none);
  EXPECT_EQ(taken.present.format, output_format::toon);
  EXPECT_EQ(intake().take(python, object{}).present.format, output_format::usual);
}

TEST(run_intake, refuses_a_language_that_has_no_runtime) {
  auto no_python = intake("no Python");
  auto taken = no_python.take(python, {{"code", "1"}});
  EXPECT_EQ(taken.refused.code, msg::errc::runtime_missing);
  EXPECT_EQ(taken.refused.message, "Python is not available: no Python");
  EXPECT_EQ(no_python.take(typescript, {{"code", "1"}}).refused.code, msg::errc::none);
  EXPECT_TRUE(no_python.runtimes().typescript);
  EXPECT_FALSE(no_python.runtimes().python);
  EXPECT_EQ(no_python.take(bridge, {{"code", "1"}, {"format", "json"}}).present.format, output_format::usual)
    << "as it was asked for";
}

TEST(check_servers, names_the_first_that_is_not_configured) {
  std::vector<msg::server_status> known(2);
  known[0].name = "fs";
  known[1].name = "git";
  EXPECT_EQ(client::check_servers({"git", "fs"}, known).code, msg::errc::none);
  EXPECT_EQ(client::check_servers({}, {}).code, msg::errc::none);
  auto why = client::check_servers({"fs", "nope", "nor"}, known);
  EXPECT_EQ(why.code, msg::errc::unknown_server);
  EXPECT_EQ(why.message, "Unknown MCP server: nope");
}

} // namespace client_run_intake_test
