// The chain of lines: across batches, days, processes, crashes and full disks.
#include "audit/tail.hpp"
#include "tests/unit/audit/log_fixture.hpp"
#include "tests/unit/support/in_child.hpp"

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace log_test {

using namespace audit_fixture;

TEST_F(audit_log_test, lines_are_chained_over_batches) {
  append(1, 2);
  append(3, 1);
  auto all = lines(file());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(audit::digest_before(all[0]), audit::no_line_before);
  EXPECT_EQ(audit::digest_before(all[1]), text::sha256_of(all[0]));
  EXPECT_EQ(audit::digest_before(all[2]), text::sha256_of(all[1]));
  auto v = verify();
  EXPECT_TRUE(v.ok());
  EXPECT_TRUE(v.notes.empty());
  EXPECT_EQ(v.lines, 3u);
}

TEST_F(audit_log_test, a_file_does_not_grow_without_bound) {
  audit::log small{{audit::place_of({}, root.path("small")), 30, "p", {}, [this] { return now; }, 2'000}};
  for (uint64_t run = 1; run <= 20; ++run)
    if (small.append(events(run, 1)).result != write_result::written)
      break;
  auto refused = small.append(events(30, 1));
  EXPECT_EQ(refused.result, write_result::failed);
  EXPECT_NE(refused.problem.find("the most for one file"), std::string::npos) << refused.problem;
  now += 48h;
  EXPECT_EQ(small.append(events(40, 1)).result, write_result::written) << "another day, another file";
}

TEST_F(audit_log_test, a_pipe_of_its_name_is_an_error_and_not_waited_for) {
  append(1, 1);
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  append(2, 1, write_result::failed);
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
  EXPECT_EQ(audit::digest_before(lines(file(next_day))[0]), text::sha256_of(lines(file())[0]));
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
  for (auto name : {"audit-2025-10-21.jsonl", "audit-2025-10-23.jsonl", "audit-2025-1-1.jsonl",
                    "audit-2020-01-01.jsonl.gz", "notes.txt"})
    root.write("logs/"s + name, "");
  now += 20s; // the 22nd; a month of 30 days before it is the 23rd of October
  append(2, 1);
  EXPECT_FALSE(fs::exists(file("audit-2025-10-21.jsonl")));
  for (auto name : {"audit-2025-10-23.jsonl", "audit-2025-1-1.jsonl", "audit-2020-01-01.jsonl.gz", "notes.txt"})
    EXPECT_TRUE(fs::exists(file(name))) << name;
  now += std::chrono::hours{24 * 60};
  append(3, 1);
  EXPECT_EQ(verify().files, 3u) << "the clock may be wrong: no more goes than a day later";
  now += 24h;
  append(4, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << "what has expired is not missing";
  EXPECT_EQ(v.files, 2u);
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].what.find("expire"), std::string::npos);
}

TEST_F(audit_log_test, what_is_given_an_old_name_does_not_expire) {
  auto renamed = file("audit-2020-01-01.jsonl");
  (void)append_now(1, 3);
  now += 24h;
  (void)append_now(4, 1);
  fs::rename(file(), renamed);
  now += 24h;
  auto report = append_now(5, 1);
  EXPECT_NE(report.warning.find("audit-2020-01-01.jsonl was written on 2025-11-21"), std::string::npos)
    << report.warning;
  EXPECT_EQ(lines(renamed).size(), 3u);
  EXPECT_TRUE(verify().ok());
  now += std::chrono::hours{24 * 60};
  (void)append_now(6, 1);
  now += 24h;
  EXPECT_TRUE(append_now(7, 1).warning.empty());
  EXPECT_FALSE(fs::exists(renamed)) << "what is old goes";
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_log_test, an_old_file_without_its_end_is_missed) {
  (void)append_now(1, 3);
  rewrite(day, {lines(file())[0]});
  now += std::chrono::hours{24 * 60};
  (void)append_now(4, 1);
  now += 24h;
  (void)append_now(5, 1);
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_FALSE(verify().ok());
}

TEST_F(audit_log_test, one_file_for_ever_is_never_rotated) {
  auto where = audit::place_of(root.path("deep/one.log"), {});
  audit::log log{{where, 1, "p", {}, [this] { return now; }}};
  EXPECT_EQ(log.append(events(1, 1)).result, write_result::written);
  now += std::chrono::hours{24 * 90};
  EXPECT_EQ(log.append(events(2, 1)).result, write_result::written);
  EXPECT_EQ(lines(root.path("deep/one.log")).size(), 2u);
  EXPECT_TRUE(audit::verify(where).value.ok());
  fs::rename(root.path("deep/one.log"), root.path("deep/one.log.1")); // as logrotate does
  auto report = log.append(events(3, 1));
  EXPECT_TRUE(report.warning.empty());
  EXPECT_TRUE(audit::verify(where).value.ok());
  EXPECT_EQ(audit::digest_before(lines(root.path("deep/one.log"))[0]),
            text::sha256_of(lines(root.path("deep/one.log.1"))[1]));
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
    root.write("logs/audit.head",
               text::sha256_of(lines(file())[1]) + " " + std::to_string(whole.size()) + " " + day + "\n");
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
  root.write("logs/"s + day, test::read(file()) + audit::chained(text::sha256_of(lines(file())[0]), "\"timestamp\":"));
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

TEST_F(audit_log_test, its_place_is_made_before_the_first_line) {
  audit::make_place(audit::place_of(root.path("a/record.jsonl"), {}));
  EXPECT_TRUE(fs::is_regular_file(root.path("a/record.jsonl")));
  EXPECT_TRUE(fs::is_regular_file(root.path("a/record.jsonl.head")));
  audit::make_place(audit::place_of(root.path("b"), {}));
  EXPECT_TRUE(fs::is_directory(root.path("b")));
  append(1, 1);
  audit::make_place(audit::place_of(folder(), {}));
  EXPECT_EQ(lines(file()).size(), 1u) << "what is there stays";
  EXPECT_TRUE(verify().ok());
}

} // namespace log_test
