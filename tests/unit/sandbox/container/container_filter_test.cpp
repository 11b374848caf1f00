// What guest/container/seccomp.json allows, as an engine would put it on.
#include "tests/unit/support/in_child.hpp"
#include "tests/unit/support/places.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <seccomp.h>
#include <sstream>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace container_filter_test {

namespace json = boost::json;

constexpr int not_put_on = 255;
constexpr long high = 1l << 32; ///< ignored by the kernel in an int

json::value profile() {
  std::ostringstream text;
  text << std::ifstream{test::source("sandbox/guest/container/seccomp.json")}.rdbuf();
  return json::parse(text.str());
}

scmp_compare comparison(const json::string& name) { return name == "SCMP_CMP_EQ" ? SCMP_CMP_EQ : SCMP_CMP_MASKED_EQ; }

uint32_t action_of(const json::object& rule) {
  if (rule.at("action").as_string() == "SCMP_ACT_ALLOW")
    return SCMP_ACT_ALLOW;
  return SCMP_ACT_ERRNO(rule.at("errnoRet").to_number<uint32_t>());
}

std::vector<scmp_arg_cmp> conditions_of(const json::object& rule) {
  std::vector<scmp_arg_cmp> out;
  if (auto* conditions = rule.if_contains("args"))
    for (auto& c : conditions->as_array())
      out.push_back({c.at("index").to_number<unsigned>(), comparison(c.at("op").as_string()),
                     c.at("value").to_number<uint64_t>(), c.at("valueTwo").to_number<uint64_t>()});
  return out;
}

class container_filter_test : public testing::Test {
protected:
  void SetUp() override {
    auto all = profile();
    filter_ = ::seccomp_init(SCMP_ACT_ERRNO(all.at("defaultErrnoRet").to_number<uint32_t>()));
    for (auto& rule : all.at("syscalls").as_array())
      for (auto& name : rule.at("names").as_array())
        add(name.as_string(), rule.as_object());
  }
  void TearDown() override { ::seccomp_release(filter_); }

  /// The error of a system call, 0 for success.
  template <class... A>
  int error(long call, A... arguments) const {
    return test::in_child([&] {
      return ::seccomp_load(filter_) != 0 ? not_put_on : ::syscall(call, arguments...) < 0 ? errno : 0;
    });
  }

private:
  void add(const json::string& name, const json::object& rule) {
    auto number = ::seccomp_syscall_resolve_name(name.c_str());
    if (number == __NR_SCMP_ERROR)
      return; // not one of this architecture
    auto conditions = conditions_of(rule);
    EXPECT_EQ(::seccomp_rule_add_array(filter_, action_of(rule), number, static_cast<unsigned>(conditions.size()),
                                       conditions.data()),
              0)
      << name;
  }

  scmp_filter_ctx filter_ = nullptr;
};

TEST_F(container_filter_test, no_file_is_held_up_or_watched) {
  for (long command : {F_SETLEASE, F_NOTIFY})
    for (long bits : {0l, high})
      EXPECT_EQ(error(SYS_fcntl, -1, bits | command, F_RDLCK), EPERM) << command << " " << bits;
  for (long command : {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETOWN, F_OFD_SETLK, F_GETLEASE,
                       F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS})
    for (long bits : {0l, high})
      EXPECT_EQ(error(SYS_fcntl, -1, bits | command, 0), EBADF) << command << " " << bits;
}

TEST_F(container_filter_test, no_descriptor_is_sent) {
  EXPECT_EQ(error(SYS_sendmsg, -1, nullptr, 0), EPERM);
  EXPECT_EQ(error(SYS_sendmmsg, -1, nullptr, 0, 0), EPERM);
}

TEST_F(container_filter_test, ordinary_calls_work_and_others_are_denied) {
  EXPECT_EQ(error(SYS_getpid), 0);
  EXPECT_EQ(error(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY), 0);
  EXPECT_EQ(error(SYS_unshare, 0), EPERM);
}

} // namespace container_filter_test
