#include "sandbox/isolation/isolation.hpp"

#include "messages/limits.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/isolation/landlock.hpp"
#include "sandbox/isolation/seccomp.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>

#include <chrono>

namespace sandbox_isolation_test {

using sandbox::isolation_mode;
using sandbox::isolation_policy;

class isolation_test : public testing::Test {
protected:
  isolation_test() {
    std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
    tools_.bubblewrap = "/usr/bin/bwrap";
    tools_.guest_init = test::guest_init();
  }
  sandbox::isolation probe(isolation_policy policy = isolation_policy::automatic) {
    return sandbox::probe_isolation(io_.get_executor(), tools_, policy);
  }
  void break_bubblewrap(const std::string& script) {
    tools_.bubblewrap = folder_.write_program("bwrap", "#!/bin/sh\n" + script);
  }

  test::folder folder_;
  asio::io_context io_;
  sandbox::isolation_tools tools_;
};

TEST_F(isolation_test, finds_namespaces_where_a_box_can_be_built) {
  auto found = probe();
  EXPECT_EQ(found.mode, isolation_mode::namespaces) << found.reason;
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.filter != nullptr, sandbox::has_seccomp());
  EXPECT_EQ(found.landlock_abi, sandbox::landlock::abi());
  EXPECT_EQ(probe(isolation_policy::required).mode, isolation_mode::namespaces);
}

TEST_F(isolation_test, falls_back_where_none_can_be_built_and_tells_why) {
  break_bubblewrap("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
  auto found = probe();
  EXPECT_EQ(found.mode, isolation_mode::landlock_only) << found.reason;
  EXPECT_NE(found.reason.find("bubblewrap could not build a sandbox (bwrap: setting up uid map: Permission denied); "),
            std::string::npos)
    << found.reason;
  EXPECT_TRUE(found.filter);
  tools_.bubblewrap.clear();
  EXPECT_NE(probe().reason.find("install the package `bubblewrap`"), std::string::npos);
}

TEST_F(isolation_test, required_means_namespaces_or_nothing) {
  break_bubblewrap("exit 3");
  auto found = probe(isolation_policy::required);
  EXPECT_EQ(found.mode, isolation_mode::none);
  EXPECT_NE(found.reason.find("sandbox.isolation is `required`"), std::string::npos) << found.reason;
  EXPECT_NE(found.reason.find("it ended with exit code 3"), std::string::npos) << found.reason;
  tools_.isolated = found;
  EXPECT_EQ(sandbox::prepare({}, tools_).error.message, "programs can not be kept in on this machine: " + found.reason);
}

TEST_F(isolation_test, nothing_is_claimed_that_was_not_tried) {
  break_bubblewrap("exit 1");
  tools_.guest_init = folder_.write_program("guest-init", "#!/bin/sh\necho 'no such wall' >&2; exit 71\n");
  auto found = probe();
  EXPECT_EQ(found.mode, isolation_mode::none);
  EXPECT_NE(found.reason.find("did not start either: no such wall"), std::string::npos) << found.reason;
}

TEST_F(isolation_test, a_trial_that_takes_long_says_nothing_of_the_machine) {
  auto gate = folder_.path("gate");
  break_bubblewrap("while [ ! -e " + gate + " ]; do sleep 0.05; done; exec /usr/bin/bwrap \"$@\"");
  auto started = std::chrono::steady_clock::now();
  auto found = probe();
  EXPECT_EQ(found.mode, isolation_mode::untried) << "no weaker isolated because the machine is busy";
  EXPECT_NE(found.reason.find("it has not ended after"), std::string::npos) << found.reason;
  EXPECT_LT(std::chrono::steady_clock::now() - started, msg::limits::isolation_probe_timeout * 4)
    << "the only thread waits";
  tools_.isolated = found;
  auto refused = sandbox::prepare({}, tools_).error;
  EXPECT_EQ(refused.code, msg::errc::overloaded);
  EXPECT_NE(refused.message.find("run the program again"), std::string::npos) << refused.message;
  folder_.write("gate", "");
  for (int i = 0; i < 1'000 && tools_.isolated.mode == isolation_mode::untried; ++i)
    tools_.isolated = probe();
  EXPECT_EQ(tools_.isolated.mode, isolation_mode::namespaces) << tools_.isolated.reason;
}

TEST_F(isolation_test, what_is_only_scarce_now_is_no_reason_for_weaker_walls) {
  for (auto* script : {"echo 'bwrap: Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1",
                       "echo 'bwrap: Creating new namespace failed: Cannot allocate memory' >&2; exit 1",
                       "kill -KILL $$", "exit 137"}) {
    break_bubblewrap(script);
    auto found = probe();
    EXPECT_EQ(found.mode, isolation_mode::untried) << script;
    EXPECT_NE(found.reason.find("it is tried again"), std::string::npos) << found.reason;
    tools_.isolated = found;
    tools_.bubblewrap = "/usr/bin/bwrap";
    EXPECT_EQ(probe().mode, isolation_mode::namespaces) << "the next self test decides";
    tools_.isolated = {};
  }
}

TEST_F(isolation_test, untried_walls_hold_nobody) {
  EXPECT_EQ(sandbox::prepare({}, tools_).error.code, msg::errc::runtime_missing);
}

} // namespace sandbox_isolation_test
