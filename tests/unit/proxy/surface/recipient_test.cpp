#include "proxy/surface/recipient.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace surface_recipient_test {

using mcp::revision;
using surface::recipient;
using surface::result_form;

boost::json::object result() { return test::object(R"({"content":[],"structuredContent":{"success":true}})"); }

boost::json::object sent_to(std::string name, revision r, result_form form) {
  recipient to{std::move(name), r, form};
  return to.fitted(result());
}

TEST(recipient, gets_the_report_for_programs_in_meta) {
  EXPECT_EQ(sent_to("claude-code", revision::r2025_11_25, result_form::text),
            test::object(R"({"content":[],"_meta":{"code-executor/report":{"success":true}}})"));
}

TEST(recipient, that_shows_meta_to_its_model_gets_none) {
  EXPECT_EQ(sent_to("Cline", revision::r2025_11_25, result_form::text), test::object(R"({"content":[]})"));
}

TEST(recipient, that_guesses_a_structure_gets_an_empty_one) {
  EXPECT_EQ(sent_to("gemini-cli-mcp-client", revision::r2025_11_25, result_form::text),
            test::object(R"({"content":[],"structuredContent":{}})"));
}

TEST(recipient, of_structured_results_gets_them_if_its_revision_has_them) {
  EXPECT_EQ(sent_to("Cline", revision::r2025_06_18, result_form::structured), result());
  EXPECT_EQ(sent_to("claude-code", revision::r2025_03_26, result_form::structured), test::object(R"({"content":[]})"));
}

TEST(recipient, is_given_no_more_than_it_shows) {
  EXPECT_EQ((recipient{"Cline"}.chars_max(16'000)), 7'000u);
  EXPECT_EQ((recipient{"Cline"}.chars_max(1'000)), 1'000u);
  EXPECT_EQ((recipient{"claude-code"}.chars_max(16'000)), 16'000u);
}

} // namespace surface_recipient_test
