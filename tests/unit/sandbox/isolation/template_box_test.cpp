// The boxes of templates: what is asked of bubblewrap, and of the program that makes the guests.
#include "sandbox/isolation/box.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/c_texts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sandbox_template_box_test {

using strings = std::vector<std::string>;

class template_box_test : public testing::Test {
protected:
  template_box_test() {
    tools_.bubblewrap = "/usr/bin/bwrap";
    tools_.guest_init = folder_.write_program("guest-init");
    tools_.guest_fork = folder_.write_program("guest-fork.so");
    tools_.guest_spawn = folder_.write_program("guest-spawn");
    tools_.isolated.mode = sandbox::isolation_mode::namespaces;
    box_.mounts = {{folder_.write_program("runtime"), "/runtime/r"}};
    box_.command = {"/runtime/r", "--flag", "main"};
    box_.cpu_seconds = 301;
    box_.temp_bytes = 1'000;
  }
  /// Behind bubblewrap's own arguments.
  strings program_of(const msg::outcome<sandbox::prepared_box>& prepared) {
    EXPECT_TRUE(prepared.ok()) << prepared.error.message;
    auto all = test::strings_of(prepared.value.launch.argv);
    EXPECT_EQ(std::count(all.begin(), all.end(), "--disable-userns"), 0) << "it makes them for its guests";
    auto begin = std::find(all.begin(), all.end(), "--");
    return begin == all.end() ? strings{} : strings{begin + 1, all.end()};
  }

  test::folder folder_;
  sandbox::box box_;
  sandbox::isolation_tools tools_;
};

TEST_F(template_box_test, one_that_starts_guests_has_all_that_a_guest_finds_and_gives_up) {
  box_.links = {{"usr/lib", "/lib"}, {"/runtime/cache/x", "/tmp/.deno/x"}};
  box_.channel_port = 3129;
  box_.channel_flags = {"--may-connect"};
  auto a = program_of(sandbox::prepare_starting_template(box_, tools_));
  ASSERT_GT(a.size(), 12u);
  EXPECT_EQ((strings{a.begin(), a.begin() + 5}),
            (strings{"/runtime/guest-spawn", "temp=mode=0755,size=1000", "target=/runtime/cache/x", "link=/tmp/.deno/x",
                     "channel=3129"}))
    << "links outside of temp folders are in the template's own box";
  for (auto limit : {"nofile=256", "cpu=301", "landlock=box", "writable=/tmp", "writable=/dev/shm"})
    EXPECT_EQ(std::count(a.begin(), a.end(), limit), 1) << limit;
  EXPECT_EQ((strings{a.end() - 6, a.end()}), (strings{"--", "/runtime/r", "--flag", "--may-connect", "main", "3129"}));
}

TEST_F(template_box_test, one_that_forks_guests_is_the_interpreter_behind_guest_init) {
  auto a = program_of(sandbox::prepare_forking_template(box_, tools_, {"numpy", "pandas"}));
  ASSERT_GT(a.size(), 9u);
  EXPECT_EQ((strings{a.begin(), a.begin() + 9}),
            (strings{"/runtime/guest-init", "forks=yes", "--", "/runtime/r", "--flag", "main", "preload=numpy",
                     "preload=pandas", "temp=mode=0755,size=1000"}));
}

TEST_F(template_box_test, what_it_needs_and_is_not_there_is_named) {
  tools_.guest_spawn = folder_.path("gone");
  auto prepared = sandbox::prepare_starting_template(box_, tools_);
  EXPECT_EQ(prepared.error.message, "the sandbox needs " + tools_.guest_spawn + ": No such file or directory");
}

} // namespace sandbox_template_box_test
