#include "sandbox/runtimes/deno_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_deno_cache_test {

using strings = std::vector<std::string>;

bool has(const strings& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

sandbox::box deno_box() {
  sandbox::box b;
  b.mounts = {
    {"/opt/deno", "/runtime/deno"}, {"/opt/typescript-guest.js", "/guest/typescript.js"}, {"/usr/lib64", "/usr/lib64"}};
  b.environment = {{"HOME", "/tmp"}, {"DENO_DIR", "/tmp/.deno"}};
  b.command = {"/runtime/deno", "run", "--no-code-cache", "--v8-flags=x", "/guest/typescript.js"};
  return b;
}

std::string variable(const sandbox::box& b, const std::string& name) {
  std::string value;
  for (auto& [n, v] : b.environment)
    if (n == name)
      value += v; // twice would show
  return value;
}

TEST(deno_cache, is_filled_by_the_guest_itself_without_a_program) {
  auto recipe = sandbox::deno_cache_recipe(deno_box());
  EXPECT_EQ(recipe.maker.command, (strings{"/runtime/deno", "run", "--v8-flags=x", "/guest/typescript.js", "prepare"}));
  EXPECT_EQ(variable(recipe.maker, "DENO_DIR"), recipe.mount_point);
  EXPECT_GE(recipe.maker_runs, 2u);
}

TEST(deno_cache, is_linked_into_a_folder_of_the_guests_own) {
  auto recipe = sandbox::deno_cache_recipe(deno_box());
  EXPECT_EQ(recipe.user.command, (strings{"/runtime/deno", "run", "--v8-flags=x", "/guest/typescript.js"}));
  EXPECT_EQ(variable(recipe.user, "DENO_DIR"), "/tmp/.deno");
  ASSERT_FALSE(recipe.user.links.empty());
  for (auto& [target, path] : recipe.user.links) {
    EXPECT_TRUE(target.starts_with(recipe.mount_point + "/")) << target;
    EXPECT_TRUE(path.starts_with("/tmp/.deno/")) << path;
  }
}

TEST(deno_cache, depends_on_deno_and_on_the_guest) {
  auto recipe = sandbox::deno_cache_recipe(deno_box());
  EXPECT_TRUE(has(recipe.inputs, "/opt/deno"));
  EXPECT_TRUE(has(recipe.inputs, "/opt/typescript-guest.js"));
  EXPECT_FALSE(has(recipe.inputs, "/usr/lib64"));
}

} // namespace sandbox_deno_cache_test
