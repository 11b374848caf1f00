// What verify says of a record that another process has changed; and reading it.
#include "audit/verify.hpp"

#include "audit/reader.hpp"
#include "tests/unit/audit/log_fixture.hpp"
#include "tests/unit/support/values.hpp"

namespace audit_verify_test {

using namespace audit_fixture;

// ---- tampering -------------------------------------------------------------------------------

struct audit_verify_test : audit_log_test {
  audit_verify_test() {
    append(1, 6);
    now += 20s;
    append(7, 3);
    EXPECT_TRUE(verify().ok());
  }
};

TEST_F(audit_verify_test, a_changed_line) {
  auto all = lines(file());
  all[2].replace(all[2].find("p-3"), 3, "p-9");
  rewrite(day, all);
  expect_problem(day, 4); // what follows the changed one does not fit
}

TEST_F(audit_verify_test, the_changed_last_line_of_a_day) {
  auto all = lines(file());
  all[5].replace(all[5].find("p-6"), 3, "p-9");
  rewrite(day, all);
  expect_problem(next_day, 1);
}

TEST_F(audit_verify_test, the_changed_last_line_of_all) {
  auto all = lines(file(next_day));
  all[2].replace(all[2].find("p-9"), 3, "p-8");
  rewrite(next_day, all);
  expect_problem(next_day, 3);
}

TEST_F(audit_verify_test, a_missing_line) {
  auto all = lines(file());
  all.erase(all.begin() + 2);
  rewrite(day, all);
  expect_problem(day, 3);
}

TEST_F(audit_verify_test, missing_lines_at_the_end) {
  auto all = lines(file(next_day));
  all.pop_back();
  rewrite(next_day, all);
  expect_problem(next_day, 2);
}

TEST_F(audit_verify_test, missing_lines_at_the_end_are_still_found_after_more_was_written) {
  auto all = lines(file(next_day));
  all.pop_back();
  rewrite(next_day, all);
  auto log = make();
  EXPECT_NE(log.append(events(20, 2)).warning.find("verify"), std::string::npos);
  expect_problem(next_day, 3);
}

TEST_F(audit_verify_test, a_missing_file) {
  fs::remove(file(next_day));
  auto v = verify();
  ASSERT_EQ(v.problem_count, 1u);
  EXPECT_EQ(v.problems[0].file, next_day);
  now += 24h;
  append(20, 1);
  expect_problem("audit-2025-11-23.jsonl", 1);
}

TEST_F(audit_verify_test, lines_in_another_order) {
  auto all = lines(file());
  std::swap(all[2], all[3]);
  rewrite(day, all);
  auto v = verify();
  EXPECT_EQ(v.problem_count, 3u);
  EXPECT_EQ(v.problems[0].line, 3u);
}

TEST_F(audit_verify_test, a_line_twice) {
  auto all = lines(file());
  all.insert(all.begin() + 2, all[1]);
  rewrite(day, all);
  expect_problem(day, 3);
}

TEST_F(audit_verify_test, a_truncated_line) {
  auto all = lines(file());
  all[2].resize(all[2].size() / 2);
  rewrite(day, all);
  expect_problem(day, 3);
}

TEST_F(audit_verify_test, the_truncated_last_line) {
  auto text = test::read(file(next_day));
  root.write("logs/"s + next_day, text.substr(0, text.size() - 20));
  expect_problem(next_day, 3);
}

TEST_F(audit_verify_test, a_foreign_line) {
  auto all = lines(file());
  all.insert(all.begin() + 2, R"({"event":"nothing happened"})");
  rewrite(day, all);
  auto v = verify();
  ASSERT_EQ(v.problem_count, 2u);
  EXPECT_EQ(v.problems[0].line, 3u);
  rewrite(day, {std::string(1u << 20, 'x')}); // longer than any of ours
  EXPECT_GT(verify().problem_count, 0u);
}

TEST_F(audit_verify_test, without_a_head_it_says_what_it_can_not_see) {
  fs::remove(folder() + "/audit.head");
  auto v = verify();
  EXPECT_TRUE(v.ok());
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].what.find("head"), std::string::npos);
}

TEST_F(audit_verify_test, takes_a_folder_or_a_file) {
  EXPECT_TRUE(audit::verify_path(folder()).value.ok());
  EXPECT_EQ(audit::verify_path(file(next_day)).value.lines, 3u);
  EXPECT_TRUE(audit::verify_path(file()).value.ok()) << "the head is of the other file";
  EXPECT_FALSE(audit::verify_path(root.path("nothing")).ok());
  auto all = lines(file(next_day));
  all.pop_back();
  rewrite(next_day, all);
  EXPECT_FALSE(audit::verify_path(file(next_day)).value.ok());
}

// ---- reading ---------------------------------------------------------------------------------

TEST_F(audit_verify_test, the_last_lines_come_from_as_many_files_as_it_takes) {
  auto where = audit::place_of(folder(), {});
  auto last = audit::last_lines(where, 5);
  ASSERT_EQ(last.size(), 5u);
  for (uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(test::object(last[i]).at("runId").as_string(), "p-" + std::to_string(i + 5));
  EXPECT_EQ(audit::last_lines(where, 100).size(), 9u);
}

TEST_F(audit_verify_test, finds_what_belongs_to_a_run) {
  append(1, 1);
  std::vector<std::string> found;
  audit::lines_of_run(audit::place_of(folder(), {}), "p-1", [&](auto& line) { found.push_back(line); });
  EXPECT_EQ(found.size(), 2u);
}

TEST(audit_place, is_a_file_or_a_folder) {
  EXPECT_EQ(audit::place_of("", "/home/me/.code-executor").folder, "/home/me/.code-executor/audit-logs");
  EXPECT_EQ(audit::place_of("/var/log/x", "/s").folder, "/var/log/x");
  EXPECT_EQ(audit::place_of("/var/log/x.log", "/s").folder, "/var/log");
  EXPECT_EQ(audit::place_of("/var/log/x.jsonl", "/s").file, "x.jsonl");
  EXPECT_EQ(audit::place_of("/x.log", "/s").folder, "/");
  EXPECT_TRUE(audit::is_day_file(day));
  for (auto name :
       {"audit-2025-11-21.jsonl.gz", "audit-2025-11-2x.jsonl", "Audit-2025-11-21.jsonl", "audit-.jsonl", ""})
    EXPECT_FALSE(audit::is_day_file(name)) << name;
}

} // namespace audit_verify_test
