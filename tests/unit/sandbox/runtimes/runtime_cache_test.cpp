#include "sandbox/runtimes/runtime_cache.hpp"

#include "testing/folder.hpp"

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace sandbox_runtime_cache_test {

namespace fs = std::filesystem;

class runtime_cache_test : public testing::Test {
protected:
  runtime_cache_test() {
    recipe_.name = "runtime";
    recipe_.maker.command = {"/runtime/make", "all"};
    recipe_.mount_point = "/runtime/cache";
    recipe_.inputs = {input_.write("program", "v1"), input_.path()};
  }

  std::string path() { return sandbox::cache_path(recipe_, caches_.path()); }
  msg::fault make() {
    asio::io_context io;
    auto made = asio::co_spawn(io, sandbox::make_cache(io.get_executor(), recipe_, {}, path()), asio::use_future);
    io.run();
    return made.get();
  }
  static pid_t dead_process() {
    auto pid = ::fork();
    if (pid == 0)
      ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    return pid;
  }

  test::folder input_, caches_;
  sandbox::cache_recipe recipe_;
};

TEST_F(runtime_cache_test, what_it_is_made_of_is_in_its_name) {
  auto first = path();
  EXPECT_TRUE(first.starts_with(caches_.path("runtime-"))) << first;
  EXPECT_EQ(path(), first);
  input_.write("program", "v2, longer");
  auto second = path();
  EXPECT_NE(second, first);
  input_.write("more/file", "x");
  EXPECT_NE(path(), second);
  auto third = path();
  recipe_.maker.command.back() = "some";
  EXPECT_NE(path(), third);
}

TEST_F(runtime_cache_test, bytecode_that_comes_and_goes_is_no_input) {
  auto before = path();
  input_.write("__pycache__/a.pyc", "x");
  EXPECT_EQ(path(), before);
}

TEST_F(runtime_cache_test, its_user_sees_it_read_only) {
  recipe_.user.command = {"/runtime/use"};
  auto box = sandbox::with_cache(recipe_, caches_.path());
  ASSERT_EQ(box.mounts.size(), 1u);
  EXPECT_EQ(box.mounts[0].from.text(), caches_.path());
  EXPECT_EQ(box.mounts[0].to.text(), "/runtime/cache");
  EXPECT_EQ(box.mounts[0].mode, sandbox::access::read_only);
  EXPECT_EQ(box.command, recipe_.user.command);
}

TEST_F(runtime_cache_test, a_failure_leaves_nothing) {
  auto problem = make(); // nothing is known of how to keep the maker in
  EXPECT_NE(problem.code, msg::errc::none);
  EXPECT_TRUE(fs::is_empty(caches_.path()));
}

TEST_F(runtime_cache_test, what_nobody_wants_any_more_is_removed) {
  auto abandoned = "runtime-1.unfinished-" + std::to_string(dead_process()),
       being_made = "runtime-2.unfinished-" + std::to_string(::getpid());
  for (auto& name : {abandoned, being_made, std::string{"runtime-used"}, std::string{"runtime-forgotten"}})
    caches_.write(name + "/file", "x");
  fs::last_write_time(caches_.path("runtime-forgotten"),
                      fs::file_time_type::clock::now() - std::chrono::hours{24 * 91});
  auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{24 * 89};
  fs::last_write_time(caches_.path("runtime-used"), long_ago);
  EXPECT_NE(make().code, msg::errc::none);
  EXPECT_FALSE(fs::exists(caches_.path(abandoned)));
  EXPECT_FALSE(fs::exists(caches_.path("runtime-forgotten")));
  EXPECT_TRUE(fs::exists(caches_.path(being_made)));
  EXPECT_TRUE(fs::exists(caches_.path("runtime-used")));
  [[maybe_unused]] auto box = sandbox::with_cache(recipe_, caches_.path("runtime-used"));
  EXPECT_GT(fs::last_write_time(caches_.path("runtime-used")), long_ago);
}

} // namespace sandbox_runtime_cache_test
