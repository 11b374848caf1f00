#include "sandbox/isolation/landlock_only.hpp"

#include "sandbox/isolation/landlock.hpp"
#include "sandbox/isolation/seccomp.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/c_texts.hpp"
#include "tests/unit/support/in_child.hpp"
#include "tests/unit/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>

namespace sandbox_landlock_only_test {

using strings = std::vector<std::string>;

class landlock_only_test : public testing::Test {
protected:
  landlock_only_test() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
    tools_.guest_init = test::guest_init();
    tools_.isolated = {sandbox::isolation_mode::landlock_only, "the reason.",
                       sandbox::make_filter(sandbox::filter_profile::landlock_only).value, sandbox::landlock::abi()};
    program_ = folder_.write_program("deno-2", "");
    folder_.write("files/main.ts", "");
    box_.mounts = {
      {program_, "/runtime/deno"}, {folder_.path("files"), "/guest/typescript"}, {folder_.path("files"), "/guest"}};
    box_.environment = {{"HOME", "/tmp"}, {"DIR", "/guest/typescript/cache"}};
    box_.command = {"/runtime/deno", "run", "--allow-read=/guest/typescript,/guest/x,/runtime/deno-other",
                    "/guest/typescript/main.ts"};
    box_.cpu_seconds = 301;
    box_.self_contained = true;
  }

  strings arguments() {
    auto prepared = sandbox::prepare(box_, tools_);
    EXPECT_TRUE(prepared.ok()) << prepared.error.message;
    return test::strings_of(prepared.value.launch.argv);
  }
  template <class Texts>
  static bool has(const Texts& a, const strings& run) {
    return std::search(a.begin(), a.end(), run.begin(), run.end()) != a.end();
  }

  /// The real thing: guest-init with everything that `prepare` gives it, and then `command` of the host.
  int launch(strings command) {
    box_.command = std::move(command);
    auto prepared = sandbox::prepare(box_, tools_);
    EXPECT_TRUE(prepared.ok()) << prepared.error.message;
    auto& launch = prepared.value.launch;
    return test::in_child([&] {
      for (auto& [ours, theirs] : launch.descriptors)
        ::fcntl(::dup2(ours, theirs + 100), F_SETFD, 0);
      for (auto& [ours, theirs] : launch.descriptors)
        ::dup2(theirs + 100, theirs);
      std::vector<char*> argv;
      for (auto& a : launch.argv)
        argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      return 254;
    });
  }

  test::folder folder_;
  sandbox::box box_;
  sandbox::isolation_tools tools_;
  std::string program_;
};

TEST_F(landlock_only_test, has_every_wall_that_there_is_without_namespaces) {
  auto a = arguments();
  EXPECT_EQ(a.at(0), test::guest_init());
  EXPECT_EQ(a.at(1), "landlock=only") << "before its rules";
  EXPECT_TRUE(has(a, {"readable=/proc/self", "readable=/dev/urandom", "writable=/dev/null", "readable=/proc/self/fd/4",
                      "readable=/proc/self/fd/5"}));
  EXPECT_TRUE(has(a, {"data=" + std::to_string(box_.memory_bytes), "nofile=256"}));
  EXPECT_TRUE(has(a, {"cpu=301", "seccomp=7", "--"}));
  EXPECT_FALSE(std::any_of(a.begin(), a.end(), [](auto& x) { return x.starts_with("nproc"); }))
    << "it would count all processes of the user";
}

TEST_F(landlock_only_test, moves_paths_of_the_box_to_those_of_the_host) {
  auto files = folder_.path("files");
  auto prepared = sandbox::prepare(box_, tools_);
  ASSERT_TRUE(prepared.ok()) << prepared.error.message;
  auto& launch = prepared.value.launch;
  EXPECT_TRUE(has(launch.argv, {"--", program_, "run", "--allow-read=" + files + "," + files + "/x,/runtime/deno-other",
                                files + "/main.ts"}));
  EXPECT_EQ(test::strings_of(launch.environment), (strings{"HOME=/tmp", "DIR=" + files + "/cache"}));
  EXPECT_EQ(launch.user, ::geteuid() == 0 ? 65534u : 0u);
}

TEST_F(landlock_only_test, a_path_counts_only_where_one_can_begin_and_end) {
  box_.mounts = {{folder_.path("files"), "/guest"}};
  auto files = folder_.path("files");
  box_.command = {"/guest", "/guests", "x/guest", "a=/guest/b", "/guest:/guest", "", "/"};
  auto a = arguments();
  EXPECT_TRUE(has(a, {"--", files, "/guests", "x/guest", "a=" + files + "/b", files + ":" + files, "", "/"}));
}

TEST_F(landlock_only_test, follows_links_once) {
  std::filesystem::create_symlink(folder_.path("files"), folder_.path("link"));
  box_.mounts = {{folder_.path("link"), "/guest"}};
  box_.command = {"/guest/main.ts"};
  EXPECT_EQ(arguments().back(), folder_.path("files/main.ts"));
}

TEST_F(landlock_only_test, writable_mounts_are_told) {
  box_.mounts = {{folder_.path("files"), folder_.path("files"), sandbox::access::writable}};
  EXPECT_TRUE(has(arguments(), {"writable=/proc/self/fd/4"}));
}

TEST_F(landlock_only_test, refuses_what_it_can_not_keep_in) {
  box_.egress = true;
  auto refused = sandbox::prepare(box_, tools_).error;
  EXPECT_EQ(refused.code, msg::errc::not_allowed);
  EXPECT_EQ(refused.message, "network can be given to a guest in namespaces only, and there are none: the reason.");
  box_.egress = false;
  box_.self_contained = false;
  refused = sandbox::prepare(box_, tools_).error;
  EXPECT_EQ(refused.code, msg::errc::runtime_missing);
  EXPECT_NE(refused.message.find("the reason."), std::string::npos);
}

TEST_F(landlock_only_test, as_root_it_tells_what_nobody_can_not_read) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root's guests are somebody else";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0700});
  auto refused = sandbox::prepare(box_, tools_).error;
  EXPECT_EQ(refused.code, msg::errc::runtime_missing);
  EXPECT_NE(refused.message.find(folder_.path() + " is closed to others"), std::string::npos) << refused.message;
}

// ---- what a program started so can do ----------------------------------------------------------

class bare_guest : public landlock_only_test {
protected:
  bare_guest() {
    for (auto path : {"/usr/bin", "/usr/lib", "/lib64"})
      box_.mounts.push_back({path, path});
    box_.reserved_bytes = 1u << 30; // sanitizers
    box_.file_bytes = 1'000;
  }
  int python(const std::string& code) {
    return launch({"/usr/bin/python3", "-I", "-S", "-c", "import os, ctypes, socket, sys\n" + code});
  }
  /// 0 if that raised an OSError of this number.
  int error(const std::string& statement, const char* number) {
    return python("try:\n  " + statement + "\nexcept OSError as e:\n  sys.exit(0 if e.errno in (" + number
                  + ",) else 100 + e.errno % 100)\nsys.exit(1)");
  }
};

TEST_F(bare_guest, runs) {
  EXPECT_EQ(python("sys.exit(7)"), 7);
  EXPECT_EQ(python("sys.exit(os.getcwd() != '/')"), 0);
  EXPECT_EQ(python("import threading; t = threading.Thread(target=lambda: None); t.start(); t.join(); sys.exit(8)"), 8);
}

TEST_F(bare_guest, sees_its_mounts_only) {
  auto secret = folder_.write("secret", "x");
  EXPECT_EQ(python("open('" + folder_.path("files/main.ts") + "')"), 0);
  EXPECT_EQ(error("open('" + secret + "')", "13"), 0);
  EXPECT_EQ(error("open('/etc/passwd')", "13"), 0);
  EXPECT_EQ(error("os.listdir('/')", "13"), 0);
  EXPECT_EQ(error("open('/proc/1/status')", "13"), 0);
  EXPECT_EQ(error("open('/proc/self/root/etc/passwd')", "13"), 0);
}

TEST_F(bare_guest, writes_nowhere_but_where_that_is_granted) {
  auto file = folder_.path("files/main.ts");
  EXPECT_EQ(error("open('" + file + "', 'a')", "13"), 0);
  EXPECT_EQ(error("open('/tmp/code-executor-bare', 'w')", "13"), 0);
  EXPECT_EQ(error("os.chmod('" + file + "', 0o777)", "1"), 0);
  EXPECT_EQ(error("os.truncate('" + file + "', 0)", "1"), 0);
  box_.mounts.push_back({folder_.path("files"), "/granted", sandbox::access::writable});
  EXPECT_EQ(python("open('" + file + "', 'a').write('x')"), 0);
  EXPECT_EQ(error("os.pwrite(os.open('" + file + "', os.O_WRONLY), b'x', 5000)", "27"), 0) << "the limit of one file";
}

TEST_F(bare_guest, reaches_nobody) {
  EXPECT_EQ(error("os.kill(os.getppid(), 0)", "1"), 0);
  EXPECT_EQ(error("os.fork()", "1"), 0);
  EXPECT_EQ(error("socket.socket()", "1"), 0);
  EXPECT_EQ(error("socket.socket(socket.AF_UNIX)", "1"), 0);
  EXPECT_EQ(error("os.setsid()", "1"), 0);
}

TEST_F(bare_guest, has_no_descriptor_but_its_own) {
  EXPECT_EQ(
    python("def is_open(n):\n  try: return bool(os.readlink('/proc/self/fd/' + n))\n  except OSError: return False\n"
           "sys.exit(sum(1 for n in os.listdir('/proc/self/fd') if int(n) > 3 and is_open(n)))"),
    0);
}

TEST_F(bare_guest, does_not_start_without_its_walls) {
  tools_.isolated.filter = std::make_shared<process::descriptor>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(python("pass"), 71) << "no filter in the file";
}

TEST_F(landlock_only_test, a_comma_in_a_path_would_be_the_end_of_a_permission) {
  folder_.write("a,b/main.ts", "");
  std::filesystem::permissions(folder_.path("a,b"), std::filesystem::perms{0755});
  box_.mounts = {{folder_.path("a,b"), "/guest"}};
  auto refused = sandbox::prepare(box_, tools_).error;
  EXPECT_EQ(refused.code, msg::errc::runtime_missing);
  EXPECT_NE(refused.message.find("a,b has a comma in it"), std::string::npos) << refused.message;
}

} // namespace sandbox_landlock_only_test
