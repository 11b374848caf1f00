#include "process/path_walk.hpp"

#include "process/inside.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace process_path_walk_test {

namespace fs = std::filesystem;
using process::path_kind;

class path_walk_test : public testing::Test {
protected:
  path_walk_test() { folder_.write("d/file", ""); }
  std::string path(const std::string& below) const { return fs::canonical(folder_.path(".")).string() + "/" + below; }
  void link(const std::string& target, const std::string& at) const { fs::create_symlink(target, path(at)); }
  static std::string times(size_t n, const std::string& text) {
    std::string all;
    while (n-- > 0)
      all += text;
    return all;
  }

  test::folder folder_;
};

TEST_F(path_walk_test, goes_where_the_kernel_goes) {
  fs::create_directories(path("d/deep/er"));
  link("d/deep", "l");
  link(path("l"), "absolute");
  link("gone", "dangling");
  link("self", "self");
  link("b", "a");
  link("a", "b");
  fs::create_symlink("/", path("root"));
  process::path_walk walk;
  for (auto* name : {"d",
                     "d/file",
                     "d/file/",
                     "d/file/.",
                     "d/file/..",
                     "d/./file",
                     "d//file",
                     "l",
                     "l/",
                     "l/er",
                     "l/../file",
                     "d/../l/er/..",
                     "absolute/er/../../file",
                     "dangling",
                     "dangling/..",
                     "self",
                     "a",
                     "b/x",
                     "gone",
                     "gone/../d",
                     "root",
                     "root/..",
                     "../../../../../../../.."}) {
    std::error_code ec;
    auto real = fs::canonical(path(name), ec);
    auto end = walk.end_of(path(name));
    EXPECT_EQ(end.real, ec ? "" : real.string()) << name;
    EXPECT_EQ(end.kind == path_kind::folder, fs::is_directory(path(name), ec)) << name;
    EXPECT_EQ(end.kind == path_kind::file, fs::is_regular_file(path(name), ec)) << name;
  }
  EXPECT_EQ(walk.kind_of("/dev/null"), path_kind::other);
  EXPECT_EQ(walk.end_of("/").real, "/");
  for (auto& odd : {std::string{}, std::string{"/\0", 2}, "/" + std::string(300, 'x'), "/" + times(5000, "./")})
    EXPECT_EQ(walk.kind_of(odd), path_kind::nothing) << odd.substr(0, 9);
  EXPECT_FALSE(walk.gave_up());
}

TEST_F(path_walk_test, follows_as_many_links_as_the_kernel) {
  link("d", "l0");
  for (size_t i = 1; i <= process::links_max; ++i)
    link("l" + std::to_string(i - 1), "l" + std::to_string(i));
  for (bool is_last_first : {true, false}) {
    process::path_walk walk;
    for (size_t i = 0; i <= process::links_max; ++i) {
      auto n = is_last_first ? process::links_max - i : i;
      std::error_code ec;
      EXPECT_EQ(walk.kind_of(path("l" + std::to_string(n))) == path_kind::folder,
                fs::is_directory(path("l" + std::to_string(n)), ec))
        << n;
    }
    EXPECT_FALSE(walk.gave_up());
  }
}

TEST_F(path_walk_test, gives_up_on_what_costs_too_much) {
  auto begin = std::chrono::steady_clock::now();
  link(times(790, "d/../") + "d", "s");
  EXPECT_EQ(fs::canonical(path("s/file")), path("d/file"));
  process::path_walk odd;
  EXPECT_EQ(odd.kind_of(path("s/file")), path_kind::unknown);
  EXPECT_EQ(odd.kind_of(path("s/file")), path_kind::unknown) << "for the second time, too";
  EXPECT_TRUE(odd.gave_up());
  EXPECT_EQ(odd.kind_of(path("d/file")), path_kind::file) << "others are followed";
  process::path_walk many{1'000};
  for (size_t i = 0; i < 100; ++i)
    many.kind_of(path("gone" + std::to_string(i)));
  EXPECT_TRUE(many.gave_up());
  process::path_walk once{1'000};
  for (size_t i = 0; i < 100; ++i)
    once.kind_of(path("gone"));
  EXPECT_FALSE(once.gave_up()) << "each is looked at once";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
}

} // namespace process_path_walk_test
