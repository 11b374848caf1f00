#include "config/file_look.hpp"

#include "testing/folder.hpp"
#include "text/json_parse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace config_file_look_test {

namespace fs = std::filesystem;

class file_look_test : public testing::Test {
protected:
  std::string path(std::string_view below) const { return folder_.path(below); }
  bool gives_up(config::file_look& look, const std::string& file) const {
    look.begin_entry();
    if (file.ends_with(".json"))
      look.json_in(path(file));
    else if (file.ends_with(".yml"))
      look.yaml_in(path(file));
    else
      look.text_in(path(file));
    return look.gave_up();
  }
  bool gives_up_on(const std::string& file, const std::string& text) const {
    folder_.write(file, text);
    config::file_look look;
    return gives_up(look, file);
  }

  test::folder folder_;
};

std::string repeated(size_t n, std::string_view part) {
  std::string all;
  while (n-- > 0)
    all += part;
  return all;
}

TEST_F(file_look_test, a_file_is_read_once_under_all_of_its_names) {
  auto file = folder_.write("a/package.json", R"({"name": "first"})");
  fs::create_symlink("a", path("b"));
  config::file_look look;
  auto& first = look.json_in(file);
  ASSERT_TRUE(first.is_object());
  folder_.write("a/package.json", R"({"name": "second"})");
  EXPECT_EQ(&look.json_in(path("b/package.json")), &first);
  EXPECT_EQ(first.at("name"), "first");
  folder_.write("s", "#!/bin/x -S y\nmore\n");
  EXPECT_EQ(look.interpreter_in(path("s")), (std::vector<std::string>{"/bin/x", "-S", "y"}));
  EXPECT_EQ(look.text_in(path("s")), "#!/bin/x -S y\nmore\n");
  EXPECT_FALSE(look.gave_up());
}

TEST_F(file_look_test, what_is_no_file_is_nothing) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/ptmx", path("device"));
  config::file_look look;
  for (auto* name : {"pipe", "device", "gone", ""}) {
    EXPECT_TRUE(look.json_in(path(name)).is_null() && look.yaml_in(path(name)).is_null()) << name;
    EXPECT_TRUE(look.text_in(path(name)).empty() && look.interpreter_in(path(name)).empty()) << name;
  }
  EXPECT_FALSE(look.gave_up()) << "nobody reads them";
}

TEST_F(file_look_test, what_others_may_read_and_this_does_not_is_not_nothing) {
  for (auto* fine : {"", "{}", "yarnPath: x\n", "# only\n", "~"})
    EXPECT_FALSE(gives_up_on("fine.yml", fine)) << fine;
  EXPECT_TRUE(gives_up_on("large.yml", "a: b\n#" + std::string(config::typed_bytes_max, 'x')));
  for (auto* odd : {"yarnPath \"x\"", "- a", "a: &x [*y]", "a: 1\na: 2\n", "{", "a: b\n---\nc: d\n"})
    EXPECT_TRUE(gives_up_on("odd.yml", odd)) << odd;
  for (auto* fine : {"", "{", "[]", R"({"a": 1,} // c)"})
    EXPECT_FALSE(gives_up_on("fine.json", fine)) << fine << ": package managers refuse it as well";
  EXPECT_TRUE(gives_up_on("large.json", "{\"a\": \"" + std::string(config::package_bytes_max, 'x') + "\"}"));
  auto depth = text::json_depth_max + 1;
  EXPECT_TRUE(gives_up_on("deep.json", "{\"a\": " + std::string(depth, '[') + std::string(depth, ']') + "}"));
  EXPECT_TRUE(gives_up_on("large", std::string(config::typed_bytes_max + 1, 'x')));
  EXPECT_FALSE(gives_up_on("just", std::string(config::typed_bytes_max, 'x')));
}

TEST_F(file_look_test, all_files_together_have_one_bound) {
  auto yaml = "a: [" + repeated(16'000, "[1],") + "1]\n";
  ASSERT_LT(yaml.size(), config::typed_bytes_max);
  config::file_look look;
  size_t read = 0;
  auto begin = std::clock();
  for (size_t i = 0; i < 100; ++i) {
    auto file = std::to_string(i) + ".yml";
    folder_.write(file, yaml);
    read += gives_up(look, file) ? 0 : 1;
  }
  EXPECT_EQ(read, config::look_cost_max / (config::yaml_byte_cost * yaml.size() + config::file_cost_min));
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10);
  EXPECT_FALSE(gives_up(look, "0.yml")) << "it is known";
  config::file_look small;
  for (read = 0; read < config::look_cost_max; ++read) {
    auto file = "f" + std::to_string(read);
    folder_.write(file, "x");
    if (gives_up(small, file))
      break;
  }
  EXPECT_EQ(read, config::look_cost_max / (config::file_cost_min + 1)) << "small ones, too";
}

TEST_F(file_look_test, each_entry_has_a_bound_of_steps_and_all_have_one) {
  auto deep = folder_.write(repeated(50, "d/") + "f", "");
  config::file_look look;
  auto paths_until_it_gives_up = [&] {
    size_t n = 0;
    for (look.begin_entry(); !look.gave_up() && n < process::walk_steps_max; ++n)
      look.end_of(deep);
    return n;
  };
  auto of_one = config::entry_steps_max / static_cast<size_t>(std::count(deep.begin(), deep.end(), '/'));
  size_t entries = 1;
  EXPECT_EQ(paths_until_it_gives_up(), of_one + 1);
  while (entries < 100 && paths_until_it_gives_up() == of_one + 1)
    ++entries;
  EXPECT_EQ(entries, config::look_steps_max / config::entry_steps_max - 1)
    << "what one takes is not that of the next, but of all";
  EXPECT_EQ(paths_until_it_gives_up(), 1u);
}

} // namespace config_file_look_test
