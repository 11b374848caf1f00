#include "sandbox/isolation/box.hpp"

#include "messages/limits.hpp"
#include "sandbox/isolation/seccomp.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/c_texts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace sandbox_box_test {

using strings = std::vector<std::string>;

class box_test : public testing::Test {
protected:
  box_test() {
    tools_.bubblewrap = "/usr/bin/bwrap";
    tools_.guest_init = folder_.write_program("guest-init");
    tools_.isolated.mode = sandbox::isolation_mode::namespaces;
    box_.mounts = {{folder_.write_program("runtime"), "/runtime/r"}, {folder_.path(), "/guest"}};
    box_.links = {{"usr/lib", "/lib"}};
    box_.environment = {{"HOME", "/tmp"}, {"X", "a b"}};
    box_.command = {"/runtime/r", "--flag", "main"};
    box_.cpu_seconds = 301;
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
  static size_t place(const strings& a, const std::string& what) {
    return static_cast<size_t>(std::find(a.begin(), a.end(), what) - a.begin());
  }

  test::folder folder_;
  sandbox::box box_;
  sandbox::isolation_tools tools_;
};

TEST_F(box_test, has_every_wall) {
  auto a = arguments();
  auto size = std::to_string(msg::limits::guest_temp_bytes_max);
  EXPECT_EQ(a.at(0), "/usr/bin/bwrap");
  for (auto& wall : std::vector<strings>{{"--unshare-user"},
                                         {"--unshare-pid"},
                                         {"--unshare-net"},
                                         {"--unshare-ipc"},
                                         {"--unshare-uts"},
                                         {"--unshare-cgroup"},
                                         {"--disable-userns"},
                                         {"--uid", "65534"},
                                         {"--gid", "65534"},
                                         {"--new-session"},
                                         {"--as-pid-1"},
                                         {"--die-with-parent"},
                                         {"--clearenv"},
                                         {"--proc", "/proc"},
                                         {"--dev", "/dev"},
                                         {"--size", size, "--tmpfs", "/tmp"},
                                         {"--size", size, "--tmpfs", "/dev/shm"},
                                         {"--remount-ro", "/"},
                                         {"--remount-ro", "/dev"},
                                         {"--chdir", "/tmp"}})
    EXPECT_TRUE(has(a, wall)) << testing::PrintToString(wall);
}

TEST_F(box_test, shares_nothing_of_the_host_but_its_mounts_and_those_read_only) {
  auto a = arguments();
  for (auto* hole : {"--share-net", "--bind", "--bind-try", "--dev-bind", "--dev-bind-try", "--ro-bind-try",
                     "--cap-add", "--overlay"})
    EXPECT_FALSE(has(a, {hole})) << hole;
  auto separator = place(a, "--");
  EXPECT_EQ(std::count(a.begin(), a.begin() + static_cast<ptrdiff_t>(separator), "--ro-bind"), 3)
    << "two mounts and guest-init";
  EXPECT_TRUE(has(a, {"--symlink", "usr/lib", "/lib"}));
  EXPECT_TRUE(has(a, {"--setenv", "HOME", "/tmp", "--setenv", "X", "a b"}));
}

TEST_F(box_test, makes_the_root_read_only_after_everything_is_mounted) {
  auto a = arguments();
  const strings root{"--remount-ro", "/"}, mount{"--ro-bind"};
  auto remount = std::search(a.begin(), a.end(), root.begin(), root.end());
  auto last_mount = std::find_end(a.begin(), a.end(), mount.begin(), mount.end());
  EXPECT_GT(remount - a.begin(), last_mount - a.begin());
}

TEST_F(box_test, runs_the_command_behind_guest_init_with_the_limits) {
  namespace limits = msg::limits;
  auto a = arguments();
  auto number = [](size_t n) { return std::to_string(n); };
  EXPECT_TRUE(has(a, {"--", "/runtime/guest-init", "data=" + number(limits::guest_memory_bytes_max),
                      "nofile=" + number(limits::guest_open_files_max), "fsize=" + number(limits::guest_file_bytes_max),
                      "cpu=301", "nproc=" + number(limits::guest_processes_max)}));
  EXPECT_TRUE(has(a, {"--", "/runtime/r", "--flag", "main"}));
  EXPECT_EQ(a.back(), "main");
}

TEST_F(box_test, limits_are_those_of_the_box) {
  box_.memory_bytes = 5'000;
  box_.reserved_bytes = 1'000;
  box_.processes = 6;
  box_.open_files = 7;
  box_.file_bytes = 8;
  box_.temp_bytes = 9;
  auto a = arguments();
  EXPECT_TRUE(has(a, {"data=6000", "nofile=7", "fsize=8", "cpu=301", "nproc=6"}));
  EXPECT_TRUE(has(a, {"--size", "9", "--tmpfs", "/tmp", "--size", "9", "--tmpfs", "/dev/shm"}));
}

TEST_F(box_test, a_writable_mount_is_one_only_where_it_is_asked_for) {
  box_.mounts.push_back({folder_.path(), "/work", sandbox::access::writable});
  auto a = arguments();
  EXPECT_TRUE(has(a, {"--ro-bind", "/proc/self/fd/5", "/guest", "--bind", "/proc/self/fd/6", "/work", "--ro-bind"}));
  EXPECT_EQ(std::count(a.begin(), a.end(), "--bind"), 1);
}

TEST_F(box_test, mounts_what_is_opened_already_whatever_its_name_leads_to_now) {
  auto opened = std::make_shared<process::descriptor>(::open(folder_.path("runtime").c_str(), O_PATH | O_CLOEXEC));
  box_.mounts = {{folder_.path("gone"), "/x", sandbox::access::read_only, opened}};
  auto prepared = sandbox::prepare(box_, tools_);
  ASSERT_TRUE(prepared.ok()) << prepared.error.message;
  auto source = prepared.value.launch.descriptors[0].first;
  EXPECT_NE(source, opened->get()) << "the box may be gone before the launch";
  EXPECT_EQ(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(source)), folder_.path("runtime"));
}

TEST_F(box_test, is_walled_in_by_landlock_and_seccomp_too) {
  EXPECT_TRUE(has(arguments(), {"landlock=box", "writable=/tmp", "writable=/dev/shm", "--"}))
    << "no filter where the kernel has none";
  tools_.isolated.filter = sandbox::make_filter(sandbox::filter_profile::boxed).value;
  box_.mounts.push_back({folder_.path(), "/work", sandbox::access::writable});
  auto prepared = sandbox::prepare(box_, tools_);
  auto& launch = prepared.value.launch;
  EXPECT_TRUE(
    has(launch.argv, {"landlock=box", "writable=/tmp", "writable=/dev/shm", "writable=/work", "seccomp=8", "--"}));
  EXPECT_EQ(launch.descriptors.back(), (std::pair{prepared.value.sources.back().get(), 8}));
  EXPECT_NE(prepared.value.sources.back().get(), tools_.isolated.filter->get());
}

TEST_F(box_test, a_way_out_only_where_it_is_asked_for) {
  auto plain = sandbox::prepare(box_, tools_);
  EXPECT_FALSE(plain.value.listener_source);
  box_.egress = true;
  auto prepared = sandbox::prepare(box_, tools_);
  ASSERT_TRUE(prepared.value.listener_source);
  auto argv = test::strings_of(prepared.value.launch.argv);
  auto files = std::to_string(msg::limits::guest_open_files_max);
  EXPECT_LT(place(argv, "listener=7"), place(argv, "nofile=" + files)) << "with few files it could not always be sent";
  EXPECT_EQ(prepared.value.launch.descriptors.back(), (std::pair{prepared.value.sources.back().get(), 7}));
}

TEST_F(box_test, mounts_by_descriptor) {
  auto prepared = sandbox::prepare(box_, tools_);
  ASSERT_TRUE(prepared.ok());
  auto& launch = prepared.value.launch;
  ASSERT_EQ(prepared.value.sources.size(), 3u);
  ASSERT_EQ(launch.descriptors.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    auto [ours, theirs] = launch.descriptors[i];
    EXPECT_EQ(ours, prepared.value.sources[i].get());
    EXPECT_EQ(theirs, static_cast<int>(4 + i)) << "above the standard ones and the channel";
    EXPECT_TRUE(::fcntl(ours, F_GETFD) & FD_CLOEXEC);
    EXPECT_TRUE(has(launch.argv, {"--ro-bind", "/proc/self/fd/" + std::to_string(theirs)}));
  }
  EXPECT_TRUE(has(launch.argv, {"--ro-bind", "/proc/self/fd/4", "/runtime/r"}));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(launch.descriptors[0].first)),
            box_.mounts[0].from.text());
}

TEST_F(box_test, gives_bubblewrap_no_environment_and_no_root) {
  auto prepared = sandbox::prepare(box_, tools_);
  EXPECT_TRUE(prepared.value.launch.environment.empty());
  EXPECT_EQ(prepared.value.launch.user, ::geteuid() == 0 ? 65534u : 0u);
}

TEST_F(box_test, a_missing_mount_is_told) {
  box_.mounts.push_back({folder_.path("missing"), "/x"});
  auto prepared = sandbox::prepare(box_, tools_);
  EXPECT_EQ(prepared.error.code, msg::errc::runtime_missing);
  EXPECT_EQ(prepared.error.message, "the sandbox needs " + folder_.path("missing") + ": No such file or directory");
  box_.mounts.pop_back();
  tools_.guest_init = folder_.path("gone");
  EXPECT_NE(sandbox::prepare(box_, tools_).error.message.find("gone"), std::string::npos);
}

TEST_F(box_test, a_failed_or_finished_preparation_keeps_no_descriptor) {
  auto count = [] { return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}); };
  auto before = count();
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(sandbox::prepare(box_, tools_).ok());
  box_.mounts.push_back({folder_.path("missing"), "/x"});
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(sandbox::prepare(box_, tools_).ok());
  EXPECT_EQ(count(), before);
}

TEST_F(box_test, no_text_with_a_nul_becomes_an_argument) {
  const std::string cut{"/x\0--bind\0/", 12};
  auto refused = [&](auto change) {
    auto plain = box_;
    change(box_);
    auto prepared = sandbox::prepare(box_, tools_);
    box_ = std::move(plain);
    return !prepared.ok();
  };
  EXPECT_TRUE(refused([&](auto& b) { b.command.push_back(cut); }));
  EXPECT_TRUE(refused([&](auto& b) { b.environment.emplace_back("X", cut); }));
  EXPECT_TRUE(refused([&](auto& b) { b.links.emplace_back("usr", cut); }));
  EXPECT_TRUE(refused([&](auto& b) { b.mounts.push_back({folder_.path(), cut}); }));
  EXPECT_TRUE(refused([&](auto& b) { b.mounts.push_back({folder_.path() + std::string{"\0", 1}, "/x"}); }));
  EXPECT_FALSE(refused([](auto&) {}));
}

} // namespace sandbox_box_test
