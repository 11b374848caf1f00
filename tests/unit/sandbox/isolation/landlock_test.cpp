#include "sandbox/isolation/landlock.hpp"

#include "process/child.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/in_child.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace sandbox_landlock_test {

namespace landlock = sandbox::landlock;

class landlock_test : public testing::Test {
protected:
  void SetUp() override {
    if (landlock::abi() < 6)
      GTEST_SKIP() << "this kernel has Landlock " << landlock::abi();
    read_ = folder_.path("read");
    write_ = folder_.path("write");
    folder_.write("read/file", "x");
    folder_.write("write/file", "x");
    folder_.write("secret", "x");
  }

  static bool keep(landlock::ruleset& rules, const std::string& path, uint64_t rights) {
    process::descriptor opened{::open(path.c_str(), O_PATH | O_CLOEXEC)};
    return opened && rules.keep(opened.get(), rights);
  }

  /// The exit code of `work` with the rights of a guest: reading below one folder, writing below another.
  template <class F>
  int restricted(F work) {
    return test::in_child([&] {
      landlock::ruleset rules;
      if (!rules.begin(landlock::tcp) || !keep(rules, read_, landlock::read)
          || !keep(rules, write_, landlock::read | landlock::change) || !rules.enforce())
        return 255;
      return work();
    });
  }
  int error_of_open(const std::string& path, int flags) {
    return restricted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0600) < 0 ? errno : 0; });
  }

  test::folder folder_;
  std::string read_, write_;
};

TEST_F(landlock_test, reads_only_below_what_is_kept) {
  EXPECT_EQ(error_of_open(read_ + "/file", O_RDONLY), 0);
  EXPECT_EQ(error_of_open(write_ + "/file", O_RDONLY), 0);
  EXPECT_EQ(error_of_open(folder_.path("secret"), O_RDONLY), EACCES);
  EXPECT_EQ(error_of_open(read_ + "/../secret", O_RDONLY), EACCES);
  EXPECT_EQ(error_of_open(folder_.path(), O_RDONLY | O_DIRECTORY), EACCES);
  EXPECT_EQ(error_of_open("/proc/self/root/etc/passwd", O_RDONLY), EACCES);
}

TEST_F(landlock_test, writes_only_where_that_is_kept) {
  EXPECT_EQ(error_of_open(write_ + "/file", O_WRONLY | O_TRUNC), 0);
  EXPECT_EQ(error_of_open(write_ + "/new", O_WRONLY | O_CREAT), 0);
  EXPECT_EQ(error_of_open(read_ + "/file", O_WRONLY), EACCES);
  EXPECT_EQ(error_of_open(read_ + "/new", O_WRONLY | O_CREAT), EACCES);
  auto from = read_ + "/file", to = write_ + "/moved";
  EXPECT_EQ(restricted([&] { return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno; }), EACCES);
  EXPECT_EQ(restricted([&] { return ::unlink(from.c_str()) == 0 ? 0 : errno; }), EACCES);
  EXPECT_EQ(restricted([&] { return ::truncate(from.c_str(), 0) == 0 ? 0 : errno; }), EACCES);
}

TEST_F(landlock_test, starts_only_what_is_kept) {
  auto outside = folder_.write_program("outside"), inside = folder_.write_program("read/inside", "");
  auto start = [&](const std::string& path) {
    return restricted([&] {
      const char* arguments[] = {path.c_str(), nullptr};
      ::execv(path.c_str(), const_cast<char**>(arguments));
      return errno;
    });
  };
  EXPECT_EQ(start(outside), EACCES);
  EXPECT_EQ(start(inside), ENOEXEC) << "an empty file: the right was there";
}

TEST_F(landlock_test, a_single_file_can_be_kept) {
  auto secret = folder_.path("secret");
  EXPECT_EQ(test::in_child([&] {
              landlock::ruleset rules;
              if (!rules.begin(0) || !keep(rules, secret, landlock::read | landlock::change) || !rules.enforce())
                return 255;
              return ::open(secret.c_str(), O_RDWR) < 0 ? errno : 0;
            }),
            0);
}

TEST_F(landlock_test, no_connection) {
  EXPECT_EQ(restricted([] {
              sockaddr_in address{};
              address.sin_family = AF_INET;
              address.sin_port = htons(9);
              address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
              int s = ::socket(AF_INET, SOCK_STREAM, 0);
              return ::connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
            }),
            EACCES);
}

TEST_F(landlock_test, no_signal_to_others) {
  EXPECT_EQ(restricted([] { return ::kill(::getppid(), 0) == 0 ? 0 : errno; }), EPERM);
  EXPECT_EQ(restricted([] { return ::kill(::getpid(), 0) == 0 ? 0 : errno; }), 0);
}

TEST_F(landlock_test, no_abstract_socket_of_others) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto name = "code-executor-landlock-" + std::to_string(::getpid());
  name.copy(address.sun_path + 1, name.size());
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  auto connect = [&] {
    return ::connect(::socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address), size) == 0 ? 0 : errno;
  };
  EXPECT_EQ(test::in_child(connect), 0);
  EXPECT_EQ(restricted(connect), EPERM);
  ::close(listener);
}

TEST_F(landlock_test, what_is_not_open_can_not_be_kept) {
  landlock::ruleset rules;
  ASSERT_TRUE(rules.begin(0));
  EXPECT_FALSE(rules.keep(-1, landlock::read));
  EXPECT_EQ(errno, EBADF);
}

} // namespace sandbox_landlock_test
