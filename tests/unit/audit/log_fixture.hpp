// A record in a folder of the test, at a time of the test's choosing.
#pragma once

#include "audit/line.hpp"
#include "audit/log.hpp"
#include "audit/verify.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace audit_fixture {

namespace fs = std::filesystem;
using namespace std::literals;
using audit::write_result;

constexpr auto day = "audit-2025-11-21.jsonl";
constexpr auto next_day = "audit-2025-11-22.jsonl";

struct audit_log_test : ::testing::Test {
  test::folder root;
  /// Its file; empty: none.
  std::string key;
  // 10 s before midnight.
  std::chrono::system_clock::time_point now =
    std::chrono::system_clock::time_point{} + std::chrono::seconds{1763769590};

  std::string folder() const { return root.path("logs"); }
  std::string file(const std::string& name = day) const { return folder() + "/" + name; }
  audit::log make(const std::string& process = "p") {
    return audit::log{{audit::place_of(folder(), {}), 30, process, key, [this] { return now; }}};
  }
  static std::vector<msg::audit_event> events(uint64_t first, size_t count) {
    std::vector<msg::audit_event> out(count);
    for (auto& e : out) {
      e.kind = msg::audit_kind::tool_call;
      e.run = first++;
    }
    return out;
  }
  audit::write_report append_now(uint64_t first, size_t count) {
    auto all = events(first, count);
    for (auto& e : all)
      e.when = now;
    return make().append(all);
  }
  void append(uint64_t first, size_t count, write_result wanted = write_result::written) {
    auto log = make();
    auto report = log.append(events(first, count));
    EXPECT_EQ(report.result, wanted) << report.problem;
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::vector<std::string> out;
    std::istringstream in{test::read(path)};
    for (std::string line; std::getline(in, line);)
      out.push_back(line);
    return out;
  }
  void rewrite(const std::string& name, const std::vector<std::string>& all) const {
    std::string text;
    for (auto& l : all)
      text += l + "\n";
    root.write("logs/" + name, text);
  }
  audit::verdict verify() const {
    auto out = audit::verify(audit::place_of(folder(), {}), key);
    EXPECT_TRUE(out.ok()) << out.error.message;
    return out.value;
  }
  /// Exactly this problem.
  void expect_problem(const std::string& name, uint64_t line) const {
    auto v = verify();
    ASSERT_EQ(v.problem_count, 1u);
    EXPECT_EQ(v.problems[0].file, name);
    EXPECT_EQ(v.problems[0].line, line) << v.problems[0].what;
  }
};

} // namespace audit_fixture
