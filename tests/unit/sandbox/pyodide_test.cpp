#include "sandbox/pyodide.hpp"

#include "sandbox/runtime.hpp"
#include "tests/unit/support/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

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
  static bool has(const sandbox::box& b, const std::string& argument) { return std::count(b.command.begin(), b.command.end(), argument) == 1; }
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
  auto small = b;
  small.memory_bytes = 64u << 20;
  sandbox::use_pyodide_snapshot(b, folder_.path());
  sandbox::use_pyodide_snapshot(small, folder_.path());
  EXPECT_TRUE(flags(b).ends_with("--wasm-max-mem-pages=5120")) << flags(b);        // 320 of 512 MiB
  EXPECT_TRUE(flags(small).ends_with("--wasm-max-mem-pages=512")) << flags(small); // 32 of 64 MiB
}

TEST_F(pyodide_test, writes_only_where_the_snapshot_is_made) {
  auto guest = find();
  auto maker = sandbox::pyodide_snapshot_maker(guest, "/somewhere");
  ASSERT_EQ(maker.mounts.size(), guest.mounts.size() + 1);
  EXPECT_EQ(maker.mounts.back().from, "/somewhere");
  EXPECT_EQ(maker.mounts.back().mode, sandbox::access::writable);
  EXPECT_TRUE(has(maker, "--allow-write=/cache"));
  EXPECT_TRUE(has(maker, "/guest/pyodide/make_snapshot.ts"));
  EXPECT_EQ(maker.command.back(), "/cache/snapshot");

  sandbox::use_pyodide_snapshot(guest, "/somewhere");
  EXPECT_EQ(guest.mounts.back().to, "/cache");
  EXPECT_EQ(guest.mounts.back().mode, sandbox::access::read_only);
  EXPECT_TRUE(has(guest, "--allow-read=/runtime/pyodide,/guest,/cache"));
  EXPECT_EQ(guest.command.back(), "/cache/snapshot");
}

TEST_F(pyodide_test, knows_the_files_that_a_snapshot_depends_on) {
  auto files = sandbox::pyodide_files(find());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{folder_.path("deno"), folder_.path("guest"), folder_.path("pyodide")}));
}

} // namespace
