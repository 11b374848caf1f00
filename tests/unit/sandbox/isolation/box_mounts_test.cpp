// What is granted, in a real box: exactly what the server has opened, whatever other programs do with its name
// meanwhile.
#include "process/command.hpp"
#include "sandbox/isolation/box.hpp"
#include "testing/coroutines.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <fcntl.h>

namespace sandbox_box_mounts_test {

namespace fs = std::filesystem;
using sandbox::access;

class box_mounts_test : public testing::Test {
protected:
  box_mounts_test() {
    tools_.bubblewrap = "/usr/bin/bwrap";
    tools_.guest_init = test::guest_init();
    tools_.isolated.mode = sandbox::isolation_mode::namespaces;
    box_.cpu_seconds = 60;
    folder_.write("beside/inner/file", "secret");
    folder_.write("w/a/inner/file", "granted");
    for (auto& each : fs::recursive_directory_iterator{folder_.path()})
      fs::permissions(each.path(), fs::perms::all);
    fs::permissions(folder_.path(), fs::perms{0755});
  }

  sandbox::mount grant(const std::string& name, access mode = access::writable) {
    auto path = folder_.path(name);
    return {path, path, mode, std::make_shared<process::descriptor>(::open(path.c_str(), O_PATH | O_CLOEXEC))};
  }
  /// All the isolated of a guest, and nothing in them. Empty: it could be made.
  std::string problem() {
    auto prepared = sandbox::prepare(box_, tools_);
    if (!prepared.ok())
      return prepared.error.message;
    auto done =
      test::run(io_, process::run_command(io_.get_executor(), prepared.value.launch, std::chrono::seconds{60}));
    return done.value.succeeded() ? "" : done.value.errors + done.value.status.text();
  }
  void swap(const std::string& name, const std::string& target) {
    fs::rename(folder_.path(name), folder_.path(name) + ".moved");
    fs::create_directory_symlink(target, folder_.path(name));
  }

  test::folder folder_;
  asio::io_context io_;
  sandbox::box box_;
  sandbox::isolation_tools tools_;
};

TEST_F(box_mounts_test, nested_ones_of_any_kind) {
  box_.mounts = {grant("w"), grant("w/a", access::read_only), grant("w/a/inner"),
                 grant("w/a/inner/file", access::read_only)};
  EXPECT_EQ(problem(), "");
}

TEST_F(box_mounts_test, a_folder_on_the_way_that_became_a_link_leads_nowhere) {
  box_.mounts = {grant("w"), grant("w/a/inner")};
  for (auto* target : {"../beside", "../../../../../../../..", "/"}) {
    swap("w/a", target);
    EXPECT_NE(problem().find("guest-init: " + folder_.path("w/a/inner")), std::string::npos) << problem();
    fs::remove(folder_.path("w/a"));
    fs::rename(folder_.path("w/a.moved"), folder_.path("w/a"));
    EXPECT_EQ(problem(), "");
  }
}

TEST_F(box_mounts_test, another_folder_of_that_name_is_not_the_one) {
  box_.mounts = {grant("w"), grant("w/a/inner", access::read_only)};
  fs::rename(folder_.path("w/a"), folder_.path("w/b"));
  fs::create_directories(folder_.path("w/a/inner"));
  fs::permissions(folder_.path("w/a"), fs::perms::all);
  EXPECT_NE(problem().find("it was renamed or replaced while the sandbox was made; run the program again"),
            std::string::npos)
    << problem();
}

TEST_F(box_mounts_test, the_right_to_mount_is_for_nested_ones_only) {
  auto has_right = [&] {
    auto argv = sandbox::prepare(box_, tools_).value.launch.argv;
    return std::find(argv.begin(), argv.end(), "CAP_SYS_ADMIN") != argv.end();
  };
  box_.mounts = {grant("w"), grant("beside")};
  EXPECT_FALSE(has_right());
  box_.mounts.push_back({folder_.path("w/a"), folder_.path("w/a")}); // of the runtime
  EXPECT_TRUE(has_right());
  EXPECT_EQ(problem(), "");
}

} // namespace sandbox_box_mounts_test
