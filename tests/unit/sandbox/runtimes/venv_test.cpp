#include "sandbox/runtimes/venv.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox_venv_test {

namespace fs = std::filesystem;

class venv_test : public testing::Test {
protected:
  venv_test() : venv_(folder_.path("venv")), python_{"/p/bin/python3.9", folder_.path("p/lib/python3.9"), "3.9", {}} {
    fs::permissions(folder_.path(), fs::perms{0755}); // guests of root are the user nobody, and have to get here
    folder_.write("venv/pyvenv.cfg", "home = /p/bin\ninclude-system-site-packages = false\n");
    folder_.write("venv/lib/python3.9/site-packages/one.py", "");
    folder_.write("p/lib/python3.9/site-packages/two.py", "");
  }
  std::string site() {
    sandbox::box b;
    auto problem = sandbox::add_venv(b, venv_, python_);
    EXPECT_EQ(problem.code, msg::errc::none) << problem.message;
    for (auto& m : b.mounts)
      EXPECT_TRUE(m.mode == sandbox::access::read_only && m.from == m.to) << m.to.text();
    for (auto& [target, path] : b.links)
      EXPECT_TRUE(target.starts_with("/usr/lib/") && path.starts_with("/etc/alternatives/")) << path;
    EXPECT_TRUE(std::any_of(b.mounts.begin(), b.mounts.end(), [&](auto& m) { return m.to == venv_; }));
    auto found =
      std::find_if(b.environment.begin(), b.environment.end(), [](auto& e) { return e.first == "CODE_EXECUTOR_SITE"; });
    return found == b.environment.end() ? "" : found->second;
  }
  std::string problem() {
    sandbox::box b;
    return sandbox::add_venv(b, venv_, python_).message;
  }

  test::folder folder_;
  std::string venv_;
  sandbox::interpreter python_;
};

TEST_F(venv_test, its_own_packages) { EXPECT_EQ(site(), venv_ + "/lib/python3.9/site-packages"); }

TEST_F(venv_test, those_of_the_interpreter_on_request) {
  for (auto line : {"include-system-site-packages = true\n", "Include-System-Site-Packages=TRUE"}) {
    folder_.write("venv/pyvenv.cfg", line);
    EXPECT_EQ(site(), venv_ + "/lib/python3.9/site-packages:" + python_.library + "/site-packages");
  }
}

TEST_F(venv_test, of_a_pipe_or_a_device_for_its_file_nothing_is_waited_for) {
  auto file = venv_ + "/pyvenv.cfg";
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(site(), venv_ + "/lib/python3.9/site-packages");
  for (auto* device : {"/dev/ptmx", "/dev/zero"}) {
    fs::remove(file);
    fs::create_symlink(device, file);
    EXPECT_EQ(site(), venv_ + "/lib/python3.9/site-packages") << device;
  }
  fs::remove(file);
  folder_.write("real.cfg", "include-system-site-packages = true\n");
  fs::create_symlink("../real.cfg", file);
  EXPECT_EQ(site(), venv_ + "/lib/python3.9/site-packages:" + python_.library + "/site-packages")
    << "a link to a file is one";
}

TEST_F(venv_test, another_version) {
  python_.version = "3.10";
  EXPECT_NE(problem().find("was made for Python 3.9, and programs run in 3.10"), std::string::npos) << problem();
}

TEST_F(venv_test, is_checked_before_anything_else) {
  EXPECT_EQ(sandbox::check_venv(venv_).code, msg::errc::none);
  EXPECT_NE(sandbox::check_venv(folder_.path("nothing")).message.find("python3 -m venv"), std::string::npos);
  EXPECT_NE(sandbox::check_venv(folder_.path("p")).message.find("pyvenv.cfg"), std::string::npos);
  EXPECT_NE(sandbox::check_venv("/a:/etc").message.find("has a colon in its path"), std::string::npos);
}

TEST_F(venv_test, what_guests_can_not_read) {
  fs::permissions(venv_ + "/lib", fs::perms{0700});
  EXPECT_EQ(problem().find("chmod") != std::string::npos, ::geteuid() == 0) << problem();
}

} // namespace sandbox_venv_test
