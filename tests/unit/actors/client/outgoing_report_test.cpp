#include "actors/client/outgoing_report.hpp"

#include "messages/limits.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace client_outgoing_report_test {

namespace limits = msg::limits;
using namespace std::literals;
using client::outgoing_report;

const auto& tool = *surface::find_tool("run-python-code");

msg::run_report report(size_t characters) {
  msg::run_report r;
  r.status = msg::run_status::success;
  r.output.head = std::string(characters, 'x');
  return r;
}

std::string text_of(const boost::json::object& result) { return text::to_text(result); }

TEST(outgoing_report, of_a_small_report_keeps_nothing) {
  outgoing_report out{tool, report(10), {}};
  EXPECT_TRUE(out.take_large().empty());
  EXPECT_NE(text_of(out.result()).find("xxxxxxxxxx"), std::string::npos);
}

TEST(outgoing_report, says_where_the_rest_is_or_will_be_or_why_it_is_nowhere) {
  auto of = [](auto answer) {
    outgoing_report out{tool, report(100'000), {}};
    auto large = out.take_large();
    EXPECT_EQ(large.size(), 1u);
    return std::pair{large.at(0).handle, text_of(answer(out, large.at(0).handle))};
  };
  auto [handle, text] = of([](auto& out, auto& name) {
    return out.result(msg::artifact_answer{{{name, msg::artifact_part::output, 0, 100'000, false, 1'700'000'000}}, {}});
  });
  EXPECT_NE(text.find(handle), std::string::npos);
  EXPECT_NE(text.find("until 2023-11-14T22:13:20Z"), std::string::npos);
  auto [unwritten, early] = of([](auto& out, auto&) { return out.result_in_time(); });
  EXPECT_NE(early.find(unwritten), std::string::npos);
  auto [lost, none] = of([](auto& out, auto&) {
    return out.result(msg::fault{msg::errc::internal, "the disk is full"});
  });
  EXPECT_EQ(none.find(lost), std::string::npos);
}

TEST(outgoing_report, waits_for_some_seconds_and_hardly_after_the_deadline) {
  auto waits = [](uint64_t duration_us) {
    auto r = report(100'000);
    r.duration_us = duration_us;
    return outgoing_report{tool, std::move(r), {}}.patience(20s);
  };
  EXPECT_EQ(waits(1'000), limits::outputs_wait_max);
  EXPECT_EQ(waits(19'000'000), 1s + limits::outputs_wait_after_deadline);
  EXPECT_EQ(waits(20'000'500), limits::outputs_wait_after_deadline);
  EXPECT_EQ(waits(90'000'000), limits::outputs_wait_after_deadline);
}

} // namespace client_outgoing_report_test
