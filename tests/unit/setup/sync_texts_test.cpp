#include "setup/sync_texts.hpp"

#include "setup/sync_plan.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace setup_sync_test {

namespace fs = std::filesystem;
using setup::scheduler;
using setup::sync_change;
using setup::sync_wish;

const std::string odd = "/a b/\"c\" 'd'/%h%%/$HOME/\\n/<&>/new\nline";

setup::daily_sync sync_of(const std::string& path) {
  return {{path, "sync-wrappers", "--index", path}, path, {{"PATH", path}}};
}

TEST(sync_texts, systemd_quotes_what_it_would_read_as_something_else) {
  auto text = setup::systemd_service(sync_of(odd)).value;
  auto word = R"("/a b/\"c\" 'd'/%%h%%%%/$$HOME/\\n/<&>/new\x0aline")";
  auto variable = R"(Environment="PATH=/a b/\"c\" 'd'/%%h%%%%/$HOME/\\n/<&>/new\x0aline")";
  EXPECT_NE(text.find(std::string{" sh "} + word + " " + word + " \"sync-wrappers\" \"--index\" " + word + "\n"),
            text.npos)
    << text;
  EXPECT_NE(text.find(std::string{"\n"} + variable + "\n"), text.npos) << text;
  EXPECT_NE(text.find(R"(ExecStart=/bin/sh -c "cd -- \"$$1\" && shift && exec \"$$@\"" sh )"), text.npos) << text;
}

TEST(sync_texts, of_bytes_that_are_no_text_only_a_shell_script_can_speak) {
  auto bytes = sync_of("/\xff");
  EXPECT_NE(setup::systemd_service(bytes).error.message.find("is no UTF-8"), std::string::npos);
  EXPECT_NE(setup::launchd_list(bytes).error.message.find("property list"), std::string::npos);
  EXPECT_NE(setup::launchd_list(sync_of("/\x01")).error.message.find("property list"), std::string::npos);
  EXPECT_NE(setup::sync_script(bytes).find("cd -- '/\xff' || exit\n"), std::string::npos);
}

TEST(sync_texts, a_script_quotes_for_a_shell) {
  auto text = setup::sync_script(sync_of("/it's\n"));
  EXPECT_NE(text.find("export PATH='/it'\\''s\n'\ncd -- '/it'\\''s\n' || exit\nexec '/it'\\''s\n' 'sync-wrappers'"),
            text.npos)
    << text;
}

TEST(sync_texts, a_property_list_is_xml) {
  auto text = setup::launchd_list(sync_of("/<a&b>\r")).value;
  EXPECT_NE(text.find("<string>/&lt;a&amp;b&gt;&#13;</string>"), text.npos) << text;
  EXPECT_TRUE(setup::is_sync_text(text));
}

TEST(sync_texts, a_crontab_has_percent_signs_and_no_backslashes) {
  auto block = setup::crontab_block("/50% 'x'/daily-sync.sh").value;
  EXPECT_NE(block.find("\n17 5 * * * /bin/sh '/50\\% '\\''x'\\''/daily-sync.sh'\n"), block.npos) << block;
  for (auto* path : {"/a\\b", "/a\nb", "/a\x7f"})
    EXPECT_NE(setup::crontab_block(path).error.message.find("no way to say that"), std::string::npos) << path;
  EXPECT_NE(setup::crontab_block("/" + std::string(1'000, 'x')).error.message.find("longer"), std::string::npos);
}

TEST(sync_texts, a_block_is_put_in_replaced_and_taken_out) {
  auto first = setup::crontab_block("/1").value, second = setup::crontab_block("/2").value;
  for (std::string jobs : {"", "@daily true\n", "# no end"}) {
    auto rest = jobs.empty() || jobs.ends_with('\n') ? jobs : jobs + "\n";
    auto with = setup::with_block(jobs, first);
    EXPECT_EQ(with, rest + first);
    EXPECT_EQ(setup::block_in(with + "@hourly true\n"), first);
    EXPECT_EQ(setup::with_block(with + "@hourly true\n", second), rest + second + "@hourly true\n");
    EXPECT_EQ(setup::with_block(with, ""), rest);
    EXPECT_EQ(setup::with_block(jobs, ""), jobs);
  }
  auto mentioned = "# see: " + first;
  EXPECT_EQ(setup::block_in(mentioned), "") << "it does not begin a line";
  auto cut = first.substr(0, first.find('\n') + 1);
  EXPECT_EQ(setup::with_block("@daily true\n" + cut + "@hourly true\n", ""), "@daily true\n@hourly true\n");
}

class sync_plan : public testing::Test {
protected:
  sync_plan() {
    env_.home = folder_.path("home");
    places_ = setup::places_of_sync(env_, env_.home + "/.code-executor");
  }

  setup::sync_plan make(sync_wish wish, scheduler by = scheduler::systemd, const std::string& path = "/bin/x") {
    return setup::plan_sync(places_, {wish, by, sync_of(path)}, {});
  }

  setup::sync_plan write(sync_wish wish, scheduler by = scheduler::systemd, const std::string& path = "/bin/x") {
    auto plan = make(wish, by, path);
    std::vector<std::string> made;
    for (auto& change : plan.changes)
      EXPECT_EQ(setup::replace_file(change.path, change.before, change.after, made).message, "");
    return plan;
  }

  test::folder folder_;
  config::environment env_;
  setup::sync_places places_;
};

TEST_F(sync_plan, is_written_once_changed_moved_and_taken_away) {
  EXPECT_EQ(write(sync_wish::leave).before, std::nullopt);
  EXPECT_EQ(write(sync_wish::put).change, sync_change::added);
  EXPECT_EQ(write(sync_wish::put).change, sync_change::none);
  EXPECT_EQ(write(sync_wish::leave).before, scheduler::systemd);
  EXPECT_EQ(write(sync_wish::put, scheduler::systemd, "/bin/y").changes.size(), 1U);
  EXPECT_EQ(write(sync_wish::put, scheduler::launchd).change, sync_change::changed);
  EXPECT_FALSE(fs::exists(places_.timer));
  EXPECT_EQ(write(sync_wish::leave).before, scheduler::launchd);
  EXPECT_EQ(write(sync_wish::remove).change, sync_change::removed);
  EXPECT_EQ(write(sync_wish::remove).change, sync_change::none);
}

TEST_F(sync_plan, needs_the_files_before) {
  auto plan = make(sync_wish::put);
  ASSERT_EQ(plan.changes.size(), 3U);
  EXPECT_EQ(plan.changes[0].needs, "");
  EXPECT_EQ(plan.changes[2].needs, places_.timer);
  fs::create_directories(places_.service); // can not be replaced
  auto done = setup::write_changes(env_.home + "/.code-executor", plan.changes);
  EXPECT_NE(done.error.message, "") << "the lock makes the folder";
  fs::create_directories(env_.home + "/.code-executor/setup");
  done = setup::write_changes(env_.home + "/.code-executor", plan.changes);
  EXPECT_EQ(done.value.failures.size(), 3U);
  EXPECT_FALSE(fs::exists(places_.timer));
}

TEST_F(sync_plan, without_a_program_there_is_no_crontab) {
  EXPECT_NE(make(sync_wish::put, scheduler::cron).problem.find("no program `crontab`"), std::string::npos);
}

} // namespace setup_sync_test
