#include "process/find_executable.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace process_find_executable_test {

using process::find_executable;

class find_executable_test : public testing::Test {
protected:
  find_executable_test() {
    folder_.write_program("a/tool");
    folder_.write_program("b/tool");
    folder_.write_program("b/only-b");
    folder_.write("a/no-program", "text");
    std::filesystem::create_directories(folder_.path("a/folder"));
    std::filesystem::create_symlink("tool", folder_.path("a/link"));
    std::filesystem::create_symlink("nothing", folder_.path("a/dangling"));
  }
  std::string in(const char* name) { return folder_.path(name); }
  std::string path() { return in("a") + ":" + in("b"); }
  test::folder folder_;
};

TEST_F(find_executable_test, takes_the_first_folder_of_the_path) {
  EXPECT_EQ(find_executable("tool", path(), "/"), in("a/tool"));
  EXPECT_EQ(find_executable("tool", in("b") + ":" + in("a"), "/"), in("b/tool"));
  EXPECT_EQ(find_executable("only-b", path(), "/"), in("b/only-b"));
  EXPECT_EQ(find_executable("link", path(), "/"), in("a/link"));
}

TEST_F(find_executable_test, passes_over_what_is_no_program) {
  for (auto* name : {"", "nothing", "no-program", "folder", "dangling"})
    EXPECT_EQ(find_executable(name, path(), "/"), "") << name;
  EXPECT_EQ(find_executable("tool", "", "/"), "");
  EXPECT_EQ(find_executable("tool", in("missing"), "/"), "");
}

TEST_F(find_executable_test, a_command_with_a_slash_is_relative_to_the_working_directory) {
  EXPECT_EQ(std::filesystem::path{find_executable("./tool", path(), in("b"))}.lexically_normal(), in("b/tool"));
  EXPECT_EQ(std::filesystem::path{find_executable("a/tool", "", in(""))}.lexically_normal(), in("a/tool"));
  EXPECT_EQ(find_executable(in("a/tool"), "", "/nowhere"), in("a/tool"));
  EXPECT_EQ(find_executable("./only-b", path(), in("a")), "") << "PATH does not count";
}

TEST_F(find_executable_test, an_empty_folder_of_the_path_is_the_working_directory) {
  for (auto& path : {std::string{":"}, ":" + in("missing"), in("missing") + "::" + in("other"), in("missing") + ":"})
    EXPECT_EQ(find_executable("tool", path, in("a")), in("a/tool")) << path;
}

TEST_F(find_executable_test, a_nul_ends_no_name) {
  EXPECT_EQ(find_executable(std::string_view{"tool\0x", 6}, in("a"), in("")), "");
  EXPECT_EQ(find_executable(in("a/tool") + std::string{"\0x", 2}, "", "/"), "");
}

TEST_F(find_executable_test, folders_of_the_path_are_relative_to_the_working_directory) {
  EXPECT_EQ(find_executable("tool", "b", in("")), in("b/tool"));
}

TEST(own_executable, is_this_test) {
  EXPECT_TRUE(std::filesystem::is_regular_file(process::own_executable()));
  EXPECT_EQ(process::own_executable(), std::filesystem::canonical("/proc/self/exe").string());
}

} // namespace process_find_executable_test
