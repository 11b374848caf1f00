#include "actors/run/pattern_check.hpp"
#include "actors/run/type_problems.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace actors_run_checks_test {

namespace json = boost::json;
namespace run = actors::run;
using config::pattern_policy;
using msg::errc;
using msg::language;
using msg::run_status;

TEST(pattern_check, refuses_with_the_place_of_the_first) {
  auto verdict =
    run::judge_patterns(pattern_policy::block, {}, run::find_patterns(language::typescript, "1;\n eval(x);eval(y)"));
  ASSERT_TRUE(verdict.refused);
  EXPECT_EQ(verdict.refused->error.code, errc::dangerous_code);
  EXPECT_EQ(verdict.refused->error.line, 2u);
  EXPECT_EQ(verdict.refused->error.column, 2u);
  EXPECT_EQ(verdict.refused->status, run_status::error);
  EXPECT_TRUE(
    verdict.refused->error.message.starts_with("The program was not run, because it holds a dangerous pattern: "));
}

TEST(pattern_check, warns_of_some) {
  std::string code;
  for (size_t i = 0; i < run::patterns_warned_max + 3; ++i)
    code += "eval(x)\n";
  auto verdict = run::judge_patterns(pattern_policy::warn, {}, run::find_patterns(language::python, code));
  EXPECT_FALSE(verdict.refused);
  ASSERT_EQ(verdict.warnings.size(), run::patterns_warned_max);
  EXPECT_TRUE(verdict.warnings[0].starts_with("Warning: dangerous pattern: ")) << verdict.warnings[0];
}

TEST(pattern_check, lets_harmless_programs_run) {
  auto verdict = run::judge_patterns(pattern_policy::block, {}, run::find_patterns(language::typescript, "return 1"));
  EXPECT_FALSE(verdict.refused);
  EXPECT_TRUE(verdict.warnings.empty());
}

TEST(pattern_check, does_not_let_run_what_nobody_could_look_at) {
  for (auto policy : {pattern_policy::block, pattern_policy::warn}) {
    auto verdict = run::judge_patterns(policy, {errc::limit_exceeded, "no memory"}, {});
    ASSERT_TRUE(verdict.refused);
    EXPECT_EQ(verdict.refused->error.code, errc::limit_exceeded);
    EXPECT_EQ(verdict.refused->error.message,
              "the program was not run, because it could not be checked for dangerous patterns: no memory");
  }
}

TEST(type_problems, are_none) { EXPECT_FALSE(run::judge_types(msg::document{json::array{}})); }

TEST(type_problems, are_listed_with_their_places) {
  auto end = run::judge_types(msg::document{json::parse(
    R"([{"line":2,"column":7,"message":"No."},{"line":9,"column":1,"message":"Nor this."},5,{"line":-1}])")});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error.name, "TypeCheckError");
  EXPECT_EQ(end->error.line, 2u);
  EXPECT_EQ(end->error.column, 7u);
  EXPECT_EQ(end->error.message, "2:7: No.\n9:1: Nor this.\n0:0: ");
}

TEST(type_problems, beyond_some_are_counted) {
  json::array many(run::type_problems_shown_max + 30, json::object{{"line", 1}, {"column", 1}, {"message", "No."}});
  auto end = run::judge_types(msg::document{json::value(many)});
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->error.message.ends_with("1:1: No.\nand 30 more")) << end->error.message;
}

TEST(type_problems, that_nobody_could_look_for_end_the_run) {
  auto failed = run::judge_types(msg::fault{errc::internal, "why"});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->status, run_status::error);
  EXPECT_EQ(failed->error.message, "why");
  auto late = run::judge_types(msg::fault{errc::run_timeout, "late"});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->status, run_status::timeout);
}

} // namespace actors_run_checks_test
