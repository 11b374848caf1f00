// The seal of the head: what can not be done without the key, and clocks that were wrong.
#include "audit/key.hpp"

#include "audit/head.hpp"
#include "process/child.hpp"
#include "tests/unit/audit/log_fixture.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

namespace audit_seal_test {

using namespace audit_fixture;

struct audit_seal_test : audit_log_test {
  audit_seal_test() { key = root.path("state/audit.key"); }
  std::string head() const { return test::read(folder() + "/audit.head"); }
  void set_head(const std::string& text) const { root.write("logs/audit.head", text); }
  std::string first_problem() const {
    auto v = verify();
    return v.problems.empty() ? "" : v.problems[0].what;
  }
  void expect_problem_that_says(std::string_view part) const {
    EXPECT_NE(first_problem().find(part), std::string::npos) << first_problem();
  }
};

// ---- the key ---------------------------------------------------------------------------------

TEST_F(audit_seal_test, the_key_is_for_its_owner_alone_and_made_once) {
  append(1, 1);
  struct stat s {};
  ASSERT_EQ(::stat(key.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  auto text = test::read(key);
  EXPECT_EQ(text.size(), 65u);
  append(2, 1);
  EXPECT_EQ(test::read(key), text);
  EXPECT_EQ(std::distance(fs::directory_iterator{root.path("state")}, {}), 1) << "nothing else is left behind";
  EXPECT_TRUE(verify().ok());
  EXPECT_TRUE(verify().notes.empty());
}

TEST_F(audit_seal_test, who_makes_it_at_once_gets_the_same) {
  std::vector<std::string> got(8);
  std::vector<std::thread> all;
  for (auto& to : got)
    all.emplace_back([&] { to = audit::read_or_make_key(key).value.bytes; });
  for (auto& t : all)
    t.join();
  EXPECT_EQ(got[0].size(), 64u);
  EXPECT_EQ(std::count(got.begin(), got.end(), got[0]), 8);
}

TEST_F(audit_seal_test, two_servers_share_it) {
  auto first = make("a"), second = make("b");
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.append(events(i, 2)).warning, "");
    EXPECT_EQ(second.append(events(i, 1)).warning, "");
  }
  EXPECT_TRUE(verify().ok());
  EXPECT_EQ(verify().lines, 9u);
}

TEST_F(audit_seal_test, a_damaged_key_is_said_and_stops_nobody) {
  root.write("state/audit.key", "nonsense");
  auto log = make();
  auto report = log.append(events(1, 1));
  EXPECT_EQ(report.result, write_result::written);
  EXPECT_NE(report.warning.find("damaged"), std::string::npos) << report.warning;
  EXPECT_FALSE(audit::verify(audit::place_of(folder(), {}), key).ok());
}

TEST_F(audit_seal_test, a_record_that_is_begun_anew_says_so) {
  append(1, 2);
  fs::remove_all(folder());
  append(2, 1);
  append(3, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << "it may have been moved away";
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].what.find("with a key that was there before"), std::string::npos) << v.notes[0].what;
}

// ---- tampering -------------------------------------------------------------------------------

/// What the digests alone do not show: a chain that was made anew.
TEST_F(audit_seal_test, a_new_chain_with_a_new_head_is_found) {
  append(1, 3);
  auto all = lines(file());
  std::string before{audit::no_line_before}, text;
  for (auto& l : all) {
    l = audit::chained(before, l.substr(l.find("\"timestamp\"")));
    l.replace(l.find("p-2") == l.npos ? l.find("p-") : l.find("p-2"), 3, "p-9");
    before = text::sha256_of(l);
    text += l + "\n";
  }
  rewrite(day, all);
  set_head(before + " " + std::to_string(text.size()) + " " + day + "\n");
  expect_problem_that_says("not sealed");
  set_head(before + " " + std::to_string(text.size()) + " " + day + "\nbegin " + std::string{audit::no_line_before}
           + "\nseal " + before + "\n");
  expect_problem_that_says("not sealed");
  append(4, 1);
  expect_problem_that_says("at some time");
  EXPECT_EQ(verify().problem_count, 1u) << "our next line does not make it right";
}

TEST_F(audit_seal_test, a_head_that_was_removed_is_found_and_not_forgotten) {
  append(1, 3);
  fs::remove(folder() + "/audit.head");
  expect_problem_that_says("somebody has removed it");
  auto log = make();
  EXPECT_NE(log.append(events(4, 1)).warning.find("audit.key"), std::string::npos);
  expect_problem_that_says("at some time");
  fs::remove_all(folder());
  append(1, 1);
  EXPECT_TRUE(verify().ok()) << "a new record";
}

TEST_F(audit_seal_test, a_key_that_was_removed_is_found_with_and_without_its_head) {
  for (bool with_head : {true, false}) {
    append(1, 3);
    fs::remove(key);
    if (!with_head)
      fs::remove(folder() + "/audit.head");
    auto log = make();
    EXPECT_NE(log.append(events(4, 1)).warning.find("audit.key"), std::string::npos);
    expect_problem_that_says("at some time");
    fs::remove_all(folder());
  }
}

TEST_F(audit_seal_test, lines_that_a_stranger_adds_are_found) {
  append(1, 2);
  auto text = test::read(file());
  auto forged = audit::chained(text::sha256_of(lines(file())[1]), audit::line_body(events(7, 1)[0], "p"));
  root.write("logs/"s + day, text + forged + "\n");
  expect_problem_that_says("added lines");
  auto log = make();
  EXPECT_NE(log.append(events(3, 1)).warning.find("verify"), std::string::npos);
  EXPECT_EQ(verify().problem_count, 1u);
}

TEST_F(audit_seal_test, the_oldest_files_that_somebody_removed_are_missed) {
  append(1, 2);
  now += 24h;
  append(3, 2);
  now += 24h;
  append(5, 2);
  EXPECT_TRUE(verify().ok());
  fs::remove(file());
  expect_problem_that_says("what came before this line was removed");
  now += std::chrono::hours{24 * 30}; // the next one, too, is too old soon: this does not hide it
  append(7, 1);
  EXPECT_FALSE(verify().ok());
  now += 24h;
  append(8, 1);
  EXPECT_FALSE(verify().ok());
}

TEST_F(audit_seal_test, the_first_lines_of_a_file_that_somebody_removed_are_missed_without_a_key) {
  key.clear();
  append(1, 3);
  auto all = lines(file());
  all.erase(all.begin());
  rewrite(day, all);
  expect_problem_that_says("what came before this line was removed");
}

TEST_F(audit_seal_test, files_that_were_too_old_are_not_missed) {
  for (int i = 0; i < 40; ++i) {
    append(static_cast<uint64_t>(i), 1);
    now += 24h;
  }
  auto v = verify();
  EXPECT_TRUE(v.ok()) << (v.problems.empty() ? "" : v.problems[0].what);
  EXPECT_EQ(v.files, 31u);
}

TEST_F(audit_seal_test, all_files_at_once_are_missed) {
  append(1, 2);
  fs::remove(file());
  EXPECT_FALSE(verify().ok());
}

// ---- older versions, other machines, crashes -------------------------------------------------

TEST_F(audit_seal_test, what_an_older_version_has_written_is_sealed_with_the_first_line) {
  auto with = std::exchange(key, {});
  append(1, 2);
  set_head(head().substr(0, head().find('\n') + 1)); // it knew no more
  key = with;
  EXPECT_TRUE(verify().ok());
  append(3, 1);
  append(4, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok());
  ASSERT_EQ(v.notes.size(), 1u) << "it could be that the key was removed";
  EXPECT_NE(v.notes[0].what.find("sealed since"), std::string::npos) << v.notes[0].what;
  EXPECT_NE(head().find("\nseal "), std::string::npos);
}

TEST_F(audit_seal_test, without_the_key_the_chain_is_checked_all_the_same) {
  append(1, 2);
  key = root.path("other/audit.key");
  auto v = verify();
  EXPECT_TRUE(v.ok());
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].what.find("not checked"), std::string::npos);
}

/// Killed between making the file and announcing its first lines, or there was no space for the head.
TEST_F(audit_seal_test, a_crash_when_the_record_is_begun_is_no_tampering) {
  ASSERT_TRUE(audit::read_or_make_key(key).ok());
  for (bool has_empty_head : {true, false}) {
    fs::remove(folder() + "/audit.head");
    if (has_empty_head)
      set_head("");
    root.write("logs/"s + day, "");
    auto log = make();
    EXPECT_EQ(log.append(events(1, 1)).warning, "");
    EXPECT_EQ(first_problem(), "");
    append(2, 1);
    EXPECT_EQ(verify().lines, 2u);
  }
}

/// Killed at any byte between the two heads.
TEST_F(audit_seal_test, a_crash_is_no_tampering) {
  append(1, 2);
  auto text = test::read(file());
  auto known = audit::read_key(key).value.bytes;
  audit::head_record before;
  auto head_fd = [&] { return process::descriptor{::open((folder() + "/audit.head").c_str(), O_RDWR | O_CLOEXEC)}; };
  before = audit::read_head(head_fd().get(), known);
  append(3, 2);
  auto longer = test::read(file());
  auto after = audit::read_head(head_fd().get(), known);
  EXPECT_EQ(after.seal, audit::seal_state::good);
  before.next = after.last;
  for (auto size = text.size(); size <= longer.size(); size += 11) {
    auto cut = std::min(size + 11 > longer.size() ? longer.size() : size, longer.size());
    root.write("logs/"s + day, longer.substr(0, cut));
    ASSERT_TRUE(audit::write_head(head_fd().get(), before, known));
    EXPECT_EQ(first_problem(), "") << cut;
    auto log = make();
    EXPECT_EQ(log.append(events(5, 1)).warning, "") << cut;
    EXPECT_EQ(first_problem(), "") << cut;
  }
}

// ---- clocks ----------------------------------------------------------------------------------

TEST_F(audit_seal_test, one_start_in_the_future_does_not_stop_rotation) {
  append(1, 1);
  auto real = now;
  now += std::chrono::hours{24 * 20}; // not so far that what is there expires
  append(2, 1);
  now = real;
  append(3, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << (v.problems.empty() ? "" : v.problems[0].what);
  EXPECT_EQ(v.files, 2u);
  EXPECT_TRUE(fs::exists(file("audit-2025-11-21_02.jsonl"))) << "behind what was written before";
  now += 24h;
  append(4, 1);
  EXPECT_TRUE(fs::exists(file(next_day)));
  now += std::chrono::hours{24 * 60};
  append(5, 1);
  now += 24h;
  append(6, 1);
  now += 24h;
  append(7, 1);
  EXPECT_EQ(verify().files, 3u) << "those of these three days: it is too old one day";
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_seal_test, several_days_in_the_future_keep_their_order) {
  auto real = now;
  now += std::chrono::hours{24 * 365};
  for (uint64_t i = 0; i < 4; ++i) {
    append(i, 1);
    now += 24h;
  }
  now = real;
  append(5, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << (v.problems.empty() ? "" : v.problems[0].what);
  EXPECT_EQ(v.lines, 5u);
  EXPECT_EQ(v.files, 4u);
  for (auto name : audit::files_of(audit::place_of(folder(), {})))
    EXPECT_TRUE(name.starts_with("audit-2025-11-21")) << name;
}

TEST_F(audit_seal_test, one_start_in_the_future_removes_nothing) {
  append(1, 1);
  auto real = now;
  now += std::chrono::hours{24 * 3'650};
  append(2, 1);
  EXPECT_TRUE(fs::exists(file()));
  now = real + 24h;
  append(3, 1);
  auto v = verify();
  EXPECT_TRUE(v.ok()) << (v.problems.empty() ? "" : v.problems[0].what);
  EXPECT_EQ(v.lines, 3u);
  EXPECT_TRUE(v.notes.empty());
}

TEST_F(audit_seal_test, some_days_in_the_future_remove_little) {
  for (int i = 0; i < 20; ++i) {
    append(static_cast<uint64_t>(i), 1);
    now += 24h;
  }
  now += std::chrono::hours{24 * 3'650};
  for (int i = 0; i < 3; ++i) {
    append(static_cast<uint64_t>(20 + i), 1);
    now += 24h;
  }
  auto v = verify();
  EXPECT_TRUE(v.ok());
  EXPECT_GE(v.files, 23u - 4);
}

TEST_F(audit_seal_test, what_was_begun_in_1970_is_of_the_day_that_comes_next) {
  auto real = now;
  now = std::chrono::system_clock::time_point{} + 24h;
  append(1, 1);
  now = real;
  append(2, 1);
  EXPECT_EQ(lines(file()).size(), 2u);
  EXPECT_EQ(verify().files, 1u);
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_seal_test, a_clock_that_begins_in_1970_renames_and_removes_nothing) {
  append(1, 1);
  auto real = now;
  now = std::chrono::system_clock::time_point{} + 24h;
  append(2, 1);
  EXPECT_EQ(lines(file()).size(), 2u);
  now = real + 24h;
  append(3, 1);
  EXPECT_EQ(lines(file(next_day)).size(), 1u);
  EXPECT_TRUE(verify().ok());
}

TEST_F(audit_seal_test, a_clock_that_is_a_day_ahead_renames_nothing) {
  now += 24h;
  append(1, 1);
  now -= 24h;
  append(2, 1);
  EXPECT_EQ(lines(file(next_day)).size(), 2u);
  EXPECT_TRUE(verify().ok());
}

} // namespace audit_seal_test
