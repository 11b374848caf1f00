#include "audit/refusal.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace audit_refusal_test {

const msg::fault busy{msg::errc::overloaded, "too many runs"};

TEST(refused_request, says_whose_it_was_and_why) {
  auto e = audit::refused_request(7, "claude-code#1", busy);
  EXPECT_EQ(e.kind, msg::audit_kind::refusal);
  EXPECT_EQ(e.run, 7u);
  EXPECT_EQ(e.client, "claude-code#1");
  EXPECT_FALSE(e.success);
  EXPECT_NE(e.error.find("too many runs"), std::string::npos) << e.error;
  EXPECT_TRUE(e.code.empty());
}

TEST(unrecorded_run, is_a_refusal_or_the_end_of_a_run) {
  EXPECT_EQ(audit::unrecorded_run(7, "c#1", busy).kind, msg::audit_kind::refusal);
  auto e = audit::unrecorded_run(7, "c#1", {msg::errc::internal, "what looked after it has failed"});
  EXPECT_EQ(e.kind, msg::audit_kind::run);
  EXPECT_EQ(e.run, 7u);
  EXPECT_EQ(e.state, "error");
  EXPECT_FALSE(e.success);
}

TEST(refused_program, has_the_program_if_there_is_one) {
  auto of = [](const boost::json::object& arguments) {
    return audit::refused_program(7, "c#1", busy, msg::language::python, arguments);
  };
  auto e = of({{"code", "print(1)"}});
  EXPECT_EQ(e.kind, msg::audit_kind::refusal);
  EXPECT_EQ(e.executor, "python");
  EXPECT_EQ(e.code, "print(1)");
  EXPECT_EQ(of({}).code, "");
  EXPECT_EQ(of({{"code", 7}}).code, "");
  EXPECT_EQ(of({{"code", std::string(msg::limits::code_bytes_max + 1, 'x')}}).code, "")
    << "no digest is made of what is that large";
}

} // namespace audit_refusal_test
