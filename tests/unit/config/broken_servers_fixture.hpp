// Files that people get wrong, with the complaint that each must give.
#pragma once

#include "config/server_list.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_broken_servers_test {

struct broken {
  const char* text;
  const char* says; ///< all of the first problem, behind the path of the file
};

class broken_servers_test : public testing::Test {
protected:
  /// Each file beside one that is right, which must be used all the same.
  template <size_t N>
  void expect(const char* name, const broken (&cases)[N]) {
    for (auto& c : cases) {
      test::folder folder;
      config::environment env;
      env.home = folder.path("home");
      env.cwd = folder.path("project");
      folder.write("home/MCPs/right.json", R"({"right":{"command":"x"}})");
      auto path = folder.write(name, c.text);
      auto list = config::load_servers(env, "/nowhere/code-executor");
      EXPECT_TRUE(std::any_of(list.entries.begin(), list.entries.end(), [](auto& e) { return e.name == "right"; }))
        << c.text;
      ASSERT_FALSE(list.problems.empty()) << c.text;
      EXPECT_EQ(list.problems[0], path + ": " + c.says) << c.text;
      EXPECT_EQ(list.problems[0].find("s3cret"), std::string::npos) << c.text;
      EXPECT_TRUE(test::is_valid_utf8(list.problems[0])) << c.text;
    }
  }
};

} // namespace config_broken_servers_test
