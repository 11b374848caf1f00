// The chain of lines: across batches, days, processes, crashes and full disks; and what verify says of it.
#include "audit/log.hpp"

#include "audit/line.hpp"
#include "audit/reader.hpp"
#include "audit/tail.hpp"
#include "audit/verify.hpp"
#include "tests/unit/support/folder.hpp"
#include "tests/unit/support/in_child.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace std::literals;
using audit::write_result;

constexpr auto day = "audit-2025-11-21.jsonl";
constexpr auto next_day = "audit-2025-11-22.jsonl";

struct audit_log_test : ::testing::Test {
  test::folder root;
  std::chrono::system_clock::time_point now = std::chrono::system_clock::time_point{} + std::chrono::seconds{1763769590}; // 10 s before midnight

  std::string folder() const { return root.path("logs"); }
  std::string file(const std::string& name = day) const { return folder() + "/" + name; }
  audit::log make(const std::string& process = "p") {
    return audit::log{{audit::place_of(folder(), {}), 30, process, [this] { return now; }}};
  }
  static std::vector<msg::audit_event> events(uint64_t first, size_t count) {
    std::vector<msg::audit_event> out(count);
    for (auto& e : out) {
      e.kind = msg::audit_kind::tool_call;
      e.run = first++;
    }
    return out;
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
  audit::verdict verify() const { return audit::verify(audit::place_of(folder(), {})); }
  /// Exactly this problem.
  void expect_problem(const std::string& name, uint64_t line) const {
    auto v = verify();
    ASSERT_EQ(v.problem_count, 1u);
    EXPECT_EQ(v.problems[0].file, name);
    EXPECT_EQ(v.problems[0].line, line) << v.problems[0].what;
  }
};

TEST_F(audit_log_test, lines_are_chained_over_batches) {
  append(1, 2);
  append(3, 1);
  auto all = lines(file());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(audit::digest_before(all[0]), audit::no_line_before);
  EXPECT_EQ(audit::digest_before(all[1]), catalog::sha256_of(all[0]));
  EXPECT_EQ(audit::digest_before(all[2]), catalog::sha256_of(all[1]));
  auto v = verify();
  EXPECT_TRUE(v.ok());
  EXPECT_TRUE(v.notes.empty());
  EXPECT_EQ(v.lines, 3u);
}

TEST_F(audit_log_test, is_for_its_owner_alone) {
  append(1, 1);
  struct stat s {};
  ASSERT_EQ(::stat(folder().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(file().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  audit::log inner{{audit::place_of({}, root.path("far/state")), 30, "p"}};
  EXPECT_EQ(inner.append(events(1, 1)).result, write_result::written);
  ASSERT_EQ(::stat(root.path("far/state").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
}

TEST_F(audit_log_test, a_link_in_the_place_of_the_file_is_not_followed) {
  append(1, 1);
  fs::remove(file());
  fs::create_symlink(root.path("elsewhere"), file());
  append(2, 1, write_result::failed);
  EXPECT_FALSE(fs::exists(root.path("elsewhere")));
}

TEST_F(audit_log_test, the_chain_goes_on_at_midnight) {
  append(1, 1);
  now += 20s;
  append(2, 1);
  ASSERT_EQ(lines(file()).size(), 1u);
  ASSERT_EQ(lines(file(next_day)).size(), 1u);
  EXPECT_EQ(audit::digest_before(lines(file(next_day))[0]), catalog::sha256_of(lines(file())[0]));
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_log_test, a_clock_that_is_set_back_changes_no_order) {
  append(1, 1);
  now += 20s;
  append(2, 1);
  now -= 20s;
  append(3, 1);
  EXPECT_EQ(lines(file(next_day)).size(), 2u);
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_log_test, old_files_go_and_others_stay) {
  append(1, 1);
  for (auto name : {"audit-2025-10-21.jsonl", "audit-2025-10-23.jsonl", "audit-2025-1-1.jsonl", "audit-2020-01-01.jsonl.gz", "notes.txt"})
    root.write("logs/"s + name, "");
  now += 20s; // the 22nd; a month of 30 days before it is the 23rd of October
  append(2, 1);
  EXPECT_FALSE(fs::exists(file("audit-2025-10-21.jsonl")));
  for (auto name : {"audit-2025-10-23.jsonl", "audit-2025-1-1.jsonl", "audit-2020-01-01.jsonl.gz", "notes.txt"})
    EXPECT_TRUE(fs::exists(file(name))) << name;
  now += std::chrono::hours{24 * 60};
  append(3, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << "what has expired is not missing";
  EXPECT_EQ(v.files, 1u);
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].what.find("expire"), std::string::npos);
}

TEST_F(audit_log_test, one_file_for_ever_is_never_rotated) {
  auto where = audit::place_of(root.path("deep/one.log"), {});
  audit::log log{{where, 1, "p", [this] { return now; }}};
  EXPECT_EQ(log.append(events(1, 1)).result, write_result::written);
  now += std::chrono::hours{24 * 90};
  EXPECT_EQ(log.append(events(2, 1)).result, write_result::written);
  EXPECT_EQ(lines(root.path("deep/one.log")).size(), 2u);
  EXPECT_TRUE(audit::verify(where).ok());
  fs::rename(root.path("deep/one.log"), root.path("deep/one.log.1")); // as logrotate does
  auto report = log.append(events(3, 1));
  EXPECT_TRUE(report.warning.empty());
  EXPECT_TRUE(audit::verify(where).ok());
  EXPECT_EQ(audit::digest_before(lines(root.path("deep/one.log"))[0]), catalog::sha256_of(lines(root.path("deep/one.log.1"))[1]));
}

// ---- crashes and full disks ------------------------------------------------------------------

/// Whatever byte the process was killed at: the next one goes on, and verify does not call it tampering.
TEST_F(audit_log_test, a_torn_line_is_told_and_the_chain_goes_on) {
  append(1, 2);
  auto whole = test::read(file());
  append(3, 1);
  auto longer = test::read(file());
  auto head = test::read(folder() + "/audit.head");
  for (auto size = whole.size() + 1; size < longer.size(); size += 7) {
    root.write("logs/"s + day, longer.substr(0, size));
    root.write("logs/audit.head", catalog::sha256_of(lines(file())[1]) + " " + std::to_string(whole.size()) + " " + day + "\n");
    auto before = verify();
    EXPECT_TRUE(before.ok()) << size;
    append(4, 2);
    auto v = verify();
    EXPECT_TRUE(v.ok()) << size << ": " << (v.problems.empty() ? "" : v.problems[0].what);
    ASSERT_EQ(v.notes.size(), 1u) << size;
    EXPECT_EQ(v.notes[0].line, 3u);
    EXPECT_EQ(v.lines, 5u);
  }
}

TEST_F(audit_log_test, lines_without_a_head_are_whole) {
  append(1, 2);
  auto head = test::read(folder() + "/audit.head");
  append(3, 2);
  root.write("logs/audit.head", head); // killed between the two writes
  EXPECT_TRUE(verify().ok());
  append(5, 1);
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_log_test, a_torn_line_before_midnight) {
  append(1, 1);
  root.write("logs/"s + day, test::read(file()) + audit::chained(catalog::sha256_of(lines(file())[0]), "\"timestamp\":"));
  now += 20s;
  append(2, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok());
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_EQ(v.notes[0].file, day);
  EXPECT_EQ(v.notes[0].line, 2u);
}

TEST_F(audit_log_test, a_full_disk_leaves_whole_lines_and_then_it_goes_on) {
  append(1, 3);
  auto size = fs::file_size(file());
  auto result = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit most{size + 100, size + 100}; // the next line fits in part
    ::setrlimit(RLIMIT_FSIZE, &most);
    return make().append(events(4, 2)).result == write_result::failed ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(fs::file_size(file()), size);
  append(6, 1);
  EXPECT_TRUE(verify().ok());
  EXPECT_TRUE(verify().notes.empty());
}

TEST_F(audit_log_test, what_can_not_be_written_says_why) {
  root.write("logs", "a file");
  auto log = make();
  auto report = log.append(events(1, 1));
  EXPECT_EQ(report.result, write_result::failed);
  EXPECT_NE(report.problem.find(folder()), std::string::npos);
  EXPECT_NE(report.problem.find("Not a directory"), std::string::npos) << report.problem;
  audit::log nowhere{{audit::place_of({}, {}), 30, "p"}};
  EXPECT_NE(nowhere.append(events(1, 1)).problem.find("HOME"), std::string::npos);
}

// ---- several processes -----------------------------------------------------------------------

TEST_F(audit_log_test, two_processes_write_one_chain) {
  constexpr uint64_t batches = 200;
  std::vector<pid_t> writers;
  for (auto process : {"a", "b", "c"}) {
    auto pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::alarm(60);
      auto log = make(process);
      for (uint64_t i = 0; i < batches;)
        i += log.append(events(i, 1 + i % 3)).result == write_result::written;
      ::_exit(0);
    }
    writers.push_back(pid);
  }
  for (auto pid : writers) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  auto v = verify();
  EXPECT_TRUE(v.ok()) << v.problems[0].what;
  EXPECT_TRUE(v.notes.empty());
  EXPECT_EQ(v.lines, 3 * (67 * 1 + 67 * 2 + 66 * 3));
}

TEST_F(audit_log_test, a_lock_that_is_held_is_not_waited_for) {
  append(1, 1);
  auto holder = ::open((folder() + "/audit.head").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  append(2, 1, write_result::busy);
  ::close(holder);
  append(2, 1);
  EXPECT_EQ(lines(file()).size(), 2u);
}

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
  for (auto name : {"audit-2025-11-21.jsonl.gz", "audit-2025-11-2x.jsonl", "Audit-2025-11-21.jsonl", "audit-.jsonl", ""})
    EXPECT_FALSE(audit::is_day_file(name)) << name;
}

} // namespace
