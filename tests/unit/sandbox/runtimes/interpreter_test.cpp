#include "sandbox/runtimes/interpreter.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace sandbox_interpreter_test {

namespace fs = std::filesystem;

/// Versions that no machine has: what lies in /usr/bin is looked at first.
class interpreter_test : public testing::Test {
protected:
  interpreter_test() { // guests of root are the user nobody, and have to get here
    fs::permissions(folder_.path(), fs::perms{0755});
  }

  std::string install(const std::string& prefix, const std::string& version) {
    folder_.write(prefix + "/lib/python" + version + "/os.py", "");
    return folder_.write_program(prefix + "/bin/python" + version);
  }
  void expect_fault(std::initializer_list<const char*> words) {
    auto found = sandbox::find_interpreter(settings_);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error.code, msg::errc::runtime_missing);
    for (auto word : words)
      EXPECT_NE(found.error.message.find(word), std::string::npos) << found.error.message;
  }
  void expect_found(const std::string& program, const std::string& version) {
    auto found = sandbox::find_interpreter(settings_);
    ASSERT_TRUE(found.ok()) << found.error.message;
    EXPECT_EQ(found.value.program, program);
    EXPECT_EQ(found.value.version, version);
    EXPECT_TRUE(found.value.library.ends_with("/lib/python" + version));
  }

  test::folder folder_;
  sandbox::runtime_settings settings_;
};

TEST_F(interpreter_test, the_wanted_version_is_looked_for_in_every_folder_of_path) {
  auto wanted = install("other", "3.98");
  folder_.write_program("shims/python3.98"); // a script of a version manager
  install("third", "3.98");
  settings_.search_path = folder_.path("shims") + "::" + folder_.path("other/bin") + ":" + folder_.path("third/bin");
  settings_.python_version = "3.98";
  expect_found(wanted, "3.98");
}

TEST_F(interpreter_test,
       what_lies_beside_it_is_no_link) { // else every program would see what a program has made it lead to
  settings_.search_path = folder_.path("other/bin");
  settings_.python = install("other", "3.98");
  auto shared = folder_.write("other/lib/libpython3.98.so.1.0", "x");
  auto found = sandbox::find_interpreter(settings_);
  ASSERT_TRUE(found.ok()) << found.error.message;
  EXPECT_EQ(found.value.shared, shared);
  fs::remove(shared);
  fs::create_directory_symlink(folder_.path(), shared);
  expect_fault({"links in the place of", "libpython3.98.so.1.0"});
  fs::remove(shared);
  fs::create_directory(shared);
  expect_fault({"libpython3.98.so.1.0"});
  fs::remove(shared);
  fs::rename(folder_.path("other/lib/python3.98"), folder_.path("other/lib/elsewhere"));
  fs::create_directory_symlink(folder_.path("other/lib/elsewhere"), folder_.path("other/lib/python3.98"));
  expect_fault({"links in the place of", "/lib/python3.98"});
}

TEST_F(interpreter_test, python3_may_be_of_the_wanted_version) {
  auto wanted = install("other", "3.98");
  folder_.write("bin/nothing", "");
  fs::create_symlink(wanted, folder_.path("bin/python3"));
  settings_.search_path = folder_.path("bin");
  settings_.python_version = "3.98";
  expect_found(wanted, "3.98");
}

TEST_F(interpreter_test, a_version_that_is_nowhere) {
  install("other", "3.97");
  settings_.search_path = folder_.path("other/bin");
  settings_.python_version = "3.98";
  auto found = sandbox::find_interpreter(settings_);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error.message.find(fs::exists("/usr/bin/python3") ? "wanted 3.98, found 3." : "was not found"),
            std::string::npos)
    << found.error.message;
}

TEST_F(interpreter_test, one_that_is_named_is_the_only_one_looked_at) {
  settings_.python = install("other", "3.97");
  expect_found(settings_.python, "3.97");
  install("third", "3.98");
  settings_.search_path = folder_.path("third/bin");
  settings_.python_version = "3.98";
  expect_fault({"executors.python.version: wanted 3.98, found 3.97 at ", "executors.python.pythonPath"});
}

TEST_F(interpreter_test, its_shared_library) {
  settings_.python = install("other", "3.97");
  EXPECT_EQ(sandbox::find_interpreter(settings_).value.shared, "");
  auto shared = folder_.write("other/lib/libpython3.97.so.1.0", "");
  EXPECT_EQ(sandbox::find_interpreter(settings_).value.shared, shared);
}

TEST_F(interpreter_test, one_that_is_named_and_not_there) {
  settings_.python = folder_.path("nothing");
  expect_fault({"PYTHON_PATH names ", "no executable file"});
}

TEST_F(interpreter_test, a_script_is_no_interpreter) {
  settings_.python = folder_.write_program("python");
  expect_fault({"is no CPython 3 with its library in", "set PYTHON_PATH to the interpreter itself"});
}

TEST_F(interpreter_test, that_of_the_virtual_environment) {
  auto program = install("other", "3.97");
  folder_.write("venv/bin/activate", "");
  fs::create_symlink(program, folder_.path("venv/bin/python3"));
  settings_.venv = folder_.path("venv");
  expect_found(program, "3.97");
  settings_.python_version = "3.98";
  expect_fault({"wanted 3.98, found 3.97", "executors.python.venv"});
  fs::remove(program);
  expect_fault({"executors.python.venv", "leads to no interpreter"});
}

} // namespace sandbox_interpreter_test
