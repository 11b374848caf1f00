#include "actors/run/learning.hpp"
#include "actors/run/record.hpp"

#include "audit/line.hpp"
#include "messages/limits.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace actors_run_record_test {

using namespace actors::run;
using namespace std::chrono_literals;
using msg::audit_kind;
using msg::errc;

msg::run_request request_of_7() {
  msg::run_request r;
  r.id = 7;
  r.client_name = "editor#1";
  r.code = "the program";
  return r;
}

open_call resolved_call() {
  open_call call;
  call.full_name = "mcp__s__add";
  call.server = "s";
  return call;
}

TEST(record, has_one_line_of_the_begin) {
  record r;
  auto request = request_of_7();
  auto begun = r.of_begin(request);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->kind, audit_kind::run_begun);
  EXPECT_EQ(begun->run, 7u);
  EXPECT_EQ(begun->code, "the program");
  EXPECT_EQ(request.code, "the program") << "it is still needed";
  EXPECT_FALSE(r.of_begin(request));
}

TEST(record, has_a_line_of_a_call_that_is_open) {
  auto open = record::of_open(request_of_7(), resolved_call());
  EXPECT_EQ(open.kind, audit_kind::call_open);
  EXPECT_EQ(open.client, "editor#1");
  EXPECT_EQ(open.server, "s");
  EXPECT_EQ(open.tool, "add");
  EXPECT_FALSE(open.is_over());
}

TEST(record, has_a_line_of_each_call) {
  record r;
  auto request = request_of_7();
  auto done = r.of_call(request, resolved_call(), {}, 5us);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->kind, audit_kind::tool_call);
  EXPECT_EQ(done->run, 7u);
  EXPECT_EQ(done->client, "editor#1");
  EXPECT_EQ(done->server, "s");
  EXPECT_EQ(done->tool, "add");
  EXPECT_EQ(done->duration_us, 5u);
  EXPECT_TRUE(done->success);
  open_call unresolved;
  unresolved.full_name = "mcp__s__unknown";
  auto failed = r.of_call(request, unresolved, {errc::unknown_tool, "no such tool"}, 5us);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->tool, "mcp__s__unknown");
  EXPECT_FALSE(failed->success);
}

TEST(record, has_a_bounded_number_of_lines_of_refusals) {
  record r;
  auto request = request_of_7();
  for (uint32_t i = 1; i <= msg::limits::audit_refusals_max; ++i) {
    auto line = r.of_call(request, resolved_call(), {errc::not_allowed, "no"}, 0us);
    ASSERT_TRUE(line);
    EXPECT_EQ(line->kind, audit_kind::refusal);
    EXPECT_EQ(line->error.find("further refusals") != std::string::npos, i == msg::limits::audit_refusals_max);
  }
  EXPECT_FALSE(r.of_call(request, resolved_call(), {errc::rate_limited, "no"}, 0us));
  EXPECT_TRUE(r.of_call(request, resolved_call(), {}, 0us)) << "what is permitted has its line";
}

TEST(record, has_a_last_line_of_the_run) {
  auto request = request_of_7();
  msg::run_report report;
  report.status = msg::run_status::success;
  report.tools.push_back({"mcp__s__add", 1, 1, 0, 5, ""});
  auto line = record::of_run(request, report, {512, true});
  EXPECT_EQ(line.kind, audit_kind::run);
  EXPECT_EQ(line.code, "the program");
  EXPECT_EQ(line.state, "success");
  EXPECT_EQ(line.memory_bytes, 512u);
  EXPECT_EQ(line.tools_called, std::vector<std::string>{"mcp__s__add"});
}

TEST(record, calls_a_run_refused_that_never_had_a_guest) {
  msg::run_report report;
  report.error.code = errc::dangerous_code;
  auto request = request_of_7();
  EXPECT_EQ(record::of_run(request, report, {0, false}).kind, audit_kind::refusal);
  EXPECT_EQ(record::of_run(request, report, {0, true}).kind, audit_kind::run);
}

TEST(record, keeps_of_large_arguments_only_the_digest) {
  std::function<void()> finish_work;
  worker later = [&](auto work, auto done) {
    finish_work = [work, done] {
      work();
      done({});
    };
  };
  msg::document small{boost::json::object{}};
  EXPECT_EQ(keep_arguments(small, later)->value.text(), "{}");
  EXPECT_FALSE(finish_work);
  msg::document large{boost::json::value(std::string(msg::limits::json_inline_bytes_max + 1, 'x'))};
  auto kept = keep_arguments(large, later);
  EXPECT_EQ(kept->digest, "");
  finish_work();
  EXPECT_EQ(kept->digest, audit::arguments_digest(large));
  EXPECT_EQ(kept->value.text(), "null");
  EXPECT_NE(keep_arguments(large, {})->value.text(), "null") << "there is no other thread";
}

TEST(learning, takes_the_first_results_of_each_tool) {
  learning l;
  for (uint32_t i = 0; i < learning::results_max; ++i)
    EXPECT_TRUE(l.take("a", 1));
  EXPECT_FALSE(l.take("a", 1));
  EXPECT_TRUE(l.take("b", 1));
}

TEST(learning, takes_no_more_than_so_much_memory) {
  learning l;
  EXPECT_TRUE(l.take("a", learning::bytes_max));
  EXPECT_FALSE(l.take("b", 1));
  EXPECT_FALSE(learning{}.take("a", learning::bytes_max + 1));
}

} // namespace actors_run_record_test
