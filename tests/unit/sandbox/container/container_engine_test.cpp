#include "sandbox/container/container_engine.hpp"

#include "sandbox/container/container_owner.hpp"
#include "testing/coroutines.hpp"
#include "tests/unit/support/fake_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/stat.h>
#include <system_error>

namespace sandbox_container_engine_test {

class container_engine_test : public testing::Test {
protected:
  msg::outcome<sandbox::container_engine> look() { return test::run(io_, host_->engine()); }
  std::string problem() { return look().error.message; }
  static size_t lines_with(const std::string& text, const std::string& word) {
    size_t n = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
      ++n;
    return n;
  }

  asio::io_context io_;
  test::fake_engine fake_;
  std::shared_ptr<sandbox::container_host> host_ = fake_.host(io_);
};

TEST_F(container_engine_test, is_found_once) {
  EXPECT_EQ(host_->report().mode, "none");
  auto found = look();
  ASSERT_TRUE(found.ok()) << found.error.message;
  EXPECT_EQ(host_->report().mode, "container");
  EXPECT_EQ(found.value.executable, fake_.path("bin/podman"));
  EXPECT_TRUE(found.value.rootless && found.value.enforced.memory && found.value.enforced.pids);
  EXPECT_EQ(found.value.oci_runtime, "");
  EXPECT_EQ(host_->report().reason, "podman, rootless, crun, storage overlay, image python:3.14-slim");
  EXPECT_NE(fake_.log(), "");
  EXPECT_TRUE(look().ok());
  EXPECT_EQ(fake_.log(), "") << "the second time nothing is started";
}

TEST_F(container_engine_test, takes_runc_where_crun_does_not_work) {
  fake_.when("run", "if [ \"$runtime\" = runc ]; then cat " + fake_.path("probe")
                      + "; else echo 'crun: cgroups in hybrid mode' >&2; exit 126; fi");
  auto found = look();
  ASSERT_TRUE(found.ok()) << found.error.message;
  EXPECT_EQ(found.value.oci_runtime, "runc");
  EXPECT_EQ(host_->report().reason,
            "podman, rootless, runc (crun does not work here), storage overlay, image python:3.14-slim");
}

TEST_F(container_engine_test, tells_the_error_of_the_default_when_nothing_works) {
  fake_.when("run", "echo a warning >&2; echo \"Error: ${runtime:-default} is broken\" >&2; exit 126");
  EXPECT_EQ(problem(), "podman can not run a container of the image python:3.14-slim: Error: default is broken");
  auto log = fake_.log();
  EXPECT_EQ(lines_with(log, "rm --force"), 2u) << "no broken container is left: " << log;
  EXPECT_EQ(problem(), "podman can not run a container of the image python:3.14-slim: Error: default is broken");
  EXPECT_EQ(fake_.log(), "") << "not tried again at once";
}

TEST_F(container_engine_test, counts_processes_in_a_user_namespace_where_podman_ignores_the_limit) {
  fake_.write("probe", R"({"memory": 0, "pids": 0, "cpus": 0})");
  auto found = look();
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value.own_users);
  EXPECT_FALSE(found.value.enforced.memory);
}

TEST_F(container_engine_test, does_without_the_user_namespace_where_that_does_not_work) {
  fake_.write("probe", R"({"memory": 0, "pids": 0, "cpus": 0})");
  fake_.when("run", "case \"$*\" in *--uidmap*) exit 125 ;; esac; cat " + fake_.path("probe"));
  auto found = look();
  ASSERT_TRUE(found.ok()) << found.error.message;
  EXPECT_FALSE(found.value.own_users);
}

TEST_F(container_engine_test, names_the_command_that_pulls_the_image) {
  fake_.when("image", "exit 125");
  EXPECT_NE(problem().find("run `podman pull python:3.14-slim`, or set MCP_BRIDGE_IMAGE"), std::string::npos)
    << problem();
  EXPECT_EQ(fake_.log().find("run "), std::string::npos);
  EXPECT_EQ(host_->report().mode, "none");
  EXPECT_EQ(host_->report().reason, problem());
}

TEST_F(container_engine_test, tells_why_an_engine_does_not_work) {
  fake_.write("info", "");
  EXPECT_NE(problem().find("info printed what is no JSON"), std::string::npos);
  sandbox::container_settings settings;
  settings.runtime = "/no/such/podman";
  host_ = fake_.host(io_, settings);
  EXPECT_EQ(problem(), "MCP_BRIDGE_RUNTIME names /no/such/podman, which is no executable file in PATH");
}

TEST_F(container_engine_test, removes_containers_and_folders_of_dead_servers) {
  auto ours = sandbox::owner_of_this_process(), dead = ours + "0";
  fake_.when("ps", "echo code-executor-1-a " + dead + "; echo code-executor-2-b " + ours);
  std::filesystem::create_directories(fake_.path("state/containers/" + dead + "/x"));
  std::filesystem::create_directories(fake_.path("state/containers/1-1-1"));
  EXPECT_EQ(problem(), "");
  auto log = fake_.log();
  EXPECT_NE(log.find("rm --force --volumes --ignore --time 0 code-executor-1-a"), std::string::npos) << log;
  EXPECT_EQ(lines_with(log, "rm --force"), 1u) << log;
  EXPECT_FALSE(std::filesystem::exists(fake_.path("state/containers/" + dead)));
  EXPECT_TRUE(std::filesystem::exists(fake_.path("state/containers/1-1-1")));
}

TEST_F(container_engine_test, wants_guest_files_that_everybody_may_read) {
  std::filesystem::permissions(fake_.path("guest/python/main.py"), std::filesystem::perms{0600});
  EXPECT_NE(problem().find("chmod -R o+rX " + fake_.path("guest")), std::string::npos) << problem();
  EXPECT_EQ(fake_.log(), "");
}

TEST_F(container_engine_test, keeps_sockets_where_nobody_else_comes) {
  auto mode = [](const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
  };
  auto folder = host_->new_folder("name");
  EXPECT_EQ(mode(folder), 0711u);
  EXPECT_EQ(mode(fake_.path("state")), 0700u);
  EXPECT_EQ(mode(fake_.path("state/containers")), 0700u);
  EXPECT_THROW(host_->new_folder("name"), std::system_error) << "names are used once";
  host_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(random_hex, differs) {
  auto a = sandbox::random_hex(16);
  EXPECT_EQ(a.size(), 32u);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, sandbox::random_hex(16));
}

} // namespace sandbox_container_engine_test
