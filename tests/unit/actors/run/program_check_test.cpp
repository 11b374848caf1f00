#include "actors/run/program_check.hpp"

#include "actors/run/pattern_check.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace actors_run_program_check_test {

using namespace actors::run;
using config::pattern_policy;
using msg::errc;

struct program_check_test : testing::Test {
  msg::run_request request;
  notes told;
  std::vector<std::optional<ending>> ends;
  std::function<void(msg::tool_list)> tools_known;
  std::function<void(msg::outcome<msg::document>)> types_checked;
  std::function<void()> work;
  int stopped = 0;

  program_check check_of(pattern_policy policy) {
    check_routes to;
    to.known_tools = [this](auto then) { tools_known = then; };
    to.check_types = [this](const msg::type_check_request&, auto done) {
      types_checked = done;
      return [this] { ++stopped; };
    };
    to.elsewhere = [this](auto make, auto then) { work = [make, then] { then(make()); }; };
    return {policy, told, std::move(to)};
  }
  void begin(program_check& check) {
    check.begin(request, [this](std::optional<ending> how) { ends.push_back(std::move(how)); });
  }
};

TEST_F(program_check_test, lets_a_harmless_program_run_at_once) {
  request.code = "return 1";
  auto check = check_of(pattern_policy::block);
  begin(check);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_FALSE(ends[0]);
}

TEST_F(program_check_test, refuses_a_dangerous_one_before_its_types_are_looked_at) {
  request.code = "eval(x)";
  request.type_check = true;
  auto check = check_of(pattern_policy::block);
  begin(check);
  ASSERT_EQ(ends.size(), 1u);
  ASSERT_TRUE(ends[0]);
  EXPECT_EQ(ends[0]->error.code, errc::dangerous_code);
  EXPECT_FALSE(tools_known);
}

TEST_F(program_check_test, does_not_look_when_the_policy_is_off) {
  request.code = "eval(x)";
  auto check = check_of(pattern_policy::off);
  begin(check);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_FALSE(ends[0]);
}

TEST_F(program_check_test, looks_through_large_programs_on_another_thread) {
  request.code = std::string(inline_code_bytes_max, ' ') + "eval(x)";
  auto check = check_of(pattern_policy::block);
  begin(check);
  EXPECT_TRUE(ends.empty());
  work();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_TRUE(ends[0]);
}

TEST_F(program_check_test, checks_types_against_the_tools_that_are_known) {
  request.type_check = true;
  auto check = check_of(pattern_policy::block);
  begin(check);
  tools_known({});
  EXPECT_TRUE(ends.empty());
  types_checked(msg::document{boost::json::parse(R"([{"line":2,"column":7,"message":"No."}])")});
  ASSERT_EQ(ends.size(), 1u);
  ASSERT_TRUE(ends[0]);
  EXPECT_EQ(ends[0]->error.name, "TypeCheckError");
}

TEST_F(program_check_test, that_is_stopped_says_nothing_any_more) {
  request.type_check = true;
  auto check = check_of(pattern_policy::block);
  begin(check);
  tools_known({});
  check.stop();
  check.stop();
  EXPECT_EQ(stopped, 1);
  types_checked(msg::document{boost::json::array{}});
  EXPECT_TRUE(ends.empty());
}

TEST_F(program_check_test, that_is_stopped_while_others_look_begins_nothing) {
  request.type_check = true;
  auto check = check_of(pattern_policy::block);
  begin(check);
  check.stop();
  tools_known({});
  EXPECT_FALSE(types_checked);
  EXPECT_TRUE(ends.empty());
}

} // namespace actors_run_program_check_test
