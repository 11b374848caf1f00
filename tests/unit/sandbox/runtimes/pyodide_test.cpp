#include "sandbox/runtimes/pyodide.hpp"

#include "sandbox/runtimes/runtime.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_pyodide_test {

class pyodide_test : public testing::Test {
protected:
  pyodide_test() {
    settings_.deno = folder_.write_program("deno");
    settings_.program_folder = folder_.path();
  }
  sandbox::box find() {
    folder_.write("pyodide/pyodide.asm.wasm", "");
    auto found = sandbox::find_pyodide(settings_, folder_.path("guest"));
    EXPECT_TRUE(found.ok()) << found.error.message;
    return found.value;
  }
  static bool has(const sandbox::box& b, const std::string& argument) {
    return std::count(b.command.begin(), b.command.end(), argument) == 1;
  }
  static std::string flags(const sandbox::box& b) {
    auto found = std::find_if(b.command.begin(), b.command.end(), [](auto& a) { return a.starts_with("--v8-flags="); });
    return found == b.command.end() ? "" : *found;
  }

  test::folder folder_;
  sandbox::runtime_settings settings_;
};

TEST_F(pyodide_test, says_where_it_looked) {
  auto found = sandbox::find_pyodide(settings_, folder_.path("guest"));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error.code, msg::errc::runtime_missing);
  EXPECT_NE(found.error.message.find(folder_.path("pyodide")), std::string::npos) << found.error.message;
}

TEST_F(pyodide_test, needs_deno) {
  settings_.deno = folder_.path("nothing");
  EXPECT_EQ(sandbox::find_pyodide(settings_, folder_.path("guest")).error.code, msg::errc::runtime_missing);
}

TEST_F(pyodide_test, may_read_its_own_files_only) {
  auto b = find();
  EXPECT_TRUE(has(b, "--allow-read=/runtime/pyodide,/guest"));
  for (auto& argument : b.command)
    EXPECT_FALSE(argument.starts_with("--allow") && !argument.starts_with("--allow-read=")) << argument;
  EXPECT_NE(flags(b).find("--disallow-code-generation-from-strings"), std::string::npos);
}

TEST_F(pyodide_test, leaves_memory_for_the_runtime_beside_that_of_python) {
  auto b = find();
  EXPECT_TRUE(flags(sandbox::pyodide_snapshot_recipe(b).user).ends_with("--wasm-max-mem-pages=5120"))
    << "320 of 512 MiB";
  b.memory_bytes = 64u << 20;
  EXPECT_TRUE(flags(sandbox::pyodide_snapshot_recipe(b).user).ends_with("--wasm-max-mem-pages=512")) << "32 of 64 MiB";
}

TEST_F(pyodide_test, writes_only_where_the_snapshot_is_made) {
  auto recipe = sandbox::pyodide_snapshot_recipe(find());
  EXPECT_TRUE(has(recipe.maker, "--allow-write=" + recipe.mount_point));
  EXPECT_TRUE(has(recipe.maker, "/guest/pyodide/make_snapshot.ts"));
  EXPECT_EQ(recipe.maker.command.back(), recipe.mount_point + "/snapshot");
  EXPECT_TRUE(has(recipe.user, "--allow-read=/runtime/pyodide,/guest," + recipe.mount_point));
  EXPECT_FALSE(has(recipe.user, "--allow-write=" + recipe.mount_point));
  EXPECT_EQ(recipe.user.command.back(), recipe.mount_point + "/snapshot");
}

TEST_F(pyodide_test, knows_the_files_that_a_snapshot_depends_on) {
  auto inputs = sandbox::pyodide_snapshot_recipe(find()).inputs;
  std::sort(inputs.begin(), inputs.end());
  EXPECT_EQ(inputs, (std::vector<std::string>{folder_.path("deno"), folder_.path("guest"), folder_.path("pyodide")}));
}

} // namespace sandbox_pyodide_test
