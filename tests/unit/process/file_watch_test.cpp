#include "process/file_watch.hpp"

#include "testing/coroutines.hpp"
#include "testing/folder.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/resource.h>

namespace process_file_watch_test {

namespace fs = std::filesystem;

struct file_watch_test : testing::Test {
  asio::io_context io;
  test::folder folder;
  process::file_watch watch{io.get_executor()};

  std::string path(const std::string& name) { return folder.path() + "/" + name; }
  static void write(const std::string& file, const std::string& text) { std::ofstream{file} << text; }
  bool changed() { return test::run(io, watch.changed()); }
  /// Whether nothing is told of what has happened so far.
  bool is_quiet() {
    bool told = false;
    asio::co_spawn(io, watch.changed(), [&](const std::exception_ptr&, bool) { told = true; });
    io.restart();
    io.poll();
    bool quiet = !told;
    watch.cancel();
    io.restart();
    io.run();
    return quiet;
  }
};

TEST_F(file_watch_test, tells_of_a_write) {
  write(path("a.json"), "1");
  ASSERT_TRUE(watch.set({path("a.json")}));
  write(path("a.json"), "2");
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, tells_of_a_file_that_replaces_another) {
  write(path("a.json"), "1");
  ASSERT_TRUE(watch.set({path("a.json")}));
  write(path("a.tmp"), "2");
  fs::rename(path("a.tmp"), path("a.json"));
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, tells_of_appearance_and_removal) {
  ASSERT_TRUE(watch.set({path("a.json")}));
  write(path("a.json"), "1");
  EXPECT_TRUE(changed());
  ASSERT_TRUE(watch.set({path("a.json")}));
  fs::remove(path("a.json"));
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, tells_of_a_folder_that_appears_on_the_way) {
  ASSERT_TRUE(watch.set({path("x/y/z.json")}));
  fs::create_directories(path("x"));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(watch.set({path("x/y/z.json")}));
  fs::create_directories(path("x/y"));
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, tells_of_what_a_link_leads_to) {
  fs::create_directory(path("dotfiles"));
  write(path("dotfiles/a.json"), "1");
  fs::create_symlink("dotfiles/a.json", path("a.json"));
  ASSERT_TRUE(watch.set({path("a.json")}));
  write(path("dotfiles/a.json"), "2");
  EXPECT_TRUE(changed());
  write(path("dotfiles/a.tmp"), "3");
  ASSERT_TRUE(watch.set({path("a.json")}));
  fs::rename(path("dotfiles/a.tmp"), path("dotfiles/a.json"));
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, tells_of_everything_in_a_folder) {
  fs::create_directories(path("servers"));
  ASSERT_TRUE(watch.set({path("servers")}));
  write(path("servers/new.json"), "1");
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, other_files_are_none_of_its_business) {
  write(path("a.json"), "1");
  ASSERT_TRUE(watch.set({path("a.json")}));
  write(path("b.json"), "1");
  EXPECT_TRUE(is_quiet());
}

TEST_F(file_watch_test, what_is_watched_stays_so_when_no_other_watch_can_be_made) {
  write(path("a.json"), "1");
  ASSERT_TRUE(watch.set({path("a.json")}));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_FALSE(watch.set({path("a.json")}));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  write(path("a.json"), "2");
  EXPECT_TRUE(changed());
}

TEST_F(file_watch_test, who_waits_hears_of_what_is_watched_by_then) {
  ASSERT_TRUE(watch.set({path("a.json")}));
  std::vector<bool> told;
  asio::co_spawn(io, watch.changed(), [&](const std::exception_ptr&, bool changed) { told.push_back(changed); });
  io.poll();
  process::watched_files others{{path("b.json")}};
  write(path("b.json"), "1");
  ASSERT_TRUE(watch.set(std::move(others)));
  io.restart();
  io.run();
  EXPECT_EQ(told, std::vector{true}) << "since they were made";
}

TEST_F(file_watch_test, one_of_other_files_is_quiet_of_those_before) {
  ASSERT_TRUE(watch.set({path("a.json")}));
  bool told = false;
  asio::co_spawn(io, watch.changed(), [&](const std::exception_ptr&, bool) { told = true; });
  io.poll();
  ASSERT_TRUE(watch.set({path("b.json")}));
  write(path("a.json"), "1");
  io.restart();
  io.poll();
  EXPECT_FALSE(told);
  watch.cancel();
  io.restart();
  io.run();
}

TEST_F(file_watch_test, a_stamp_tells_files_apart_that_have_the_size_and_the_time_of_another) {
  write(path("a.json"), "1");
  auto before = process::stamp_of(path("a.json"));
  EXPECT_EQ(process::stamp_of(path("a.json")), before);
  auto time = fs::last_write_time(path("a.json"));
  write(path("b.json"), "2");
  fs::last_write_time(path("b.json"), time);
  auto other = process::stamp_of(path("b.json"));
  EXPECT_EQ(other.written_ns, before.written_ns);
  EXPECT_NE(other, before);
  fs::create_symlink("b.json", path("c.json"));
  EXPECT_EQ(process::stamp_of(path("c.json")), other) << "of a link, what it leads to";
  EXPECT_EQ(process::stamp_of(path("nowhere")), process::file_stamp{});
}

TEST_F(file_watch_test, can_be_cancelled) {
  ASSERT_TRUE(watch.set({path("a.json")}));
  EXPECT_TRUE(is_quiet());
  EXPECT_FALSE(changed());
}

} // namespace process_file_watch_test
