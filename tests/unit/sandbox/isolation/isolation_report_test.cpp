#include "sandbox/isolation/isolation_report.hpp"

#include "proxy/surface/isolation_doc.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_isolation_report_test {

using sandbox::cgroup_version;

sandbox::cgroup_place place(cgroup_version memory, cgroup_version pids) {
  sandbox::cgroup_place p;
  p.memory = {memory, "/m", memory == cgroup_version::none ? "no memory" : ""};
  p.pids = {pids, "/p", pids == cgroup_version::none ? "no pids" : ""};
  return p;
}

const msg::isolation_layer& wall(const msg::isolation_report& report, const std::string& of) {
  auto found = std::find_if(report.layers.begin(), report.layers.end(), [&](auto& w) { return w.of == of; });
  if (found == report.layers.end())
    throw std::runtime_error{"no wall " + of};
  return *found;
}

sandbox::isolation isolation_of(sandbox::isolation_mode mode, std::string reason, bool filter, int landlock_abi) {
  return {mode, std::move(reason), filter ? std::make_shared<process::descriptor>() : nullptr, landlock_abi};
}

using sandbox::isolation_mode;
const auto boxed = isolation_of(isolation_mode::namespaces, "", true, 4);

TEST(isolation_report, names_the_rung_of_each_limit) {
  auto report = sandbox::report_isolation(boxed, place(cgroup_version::v2, cgroup_version::none), {});
  EXPECT_EQ(wall(report, "memory").by, "cgroup v2");
  EXPECT_EQ(wall(report, "memory").limit, "512 MiB and 128 MiB of temp space");
  EXPECT_NE(wall(report, "processes").by.find("rlimit"), std::string::npos);
  EXPECT_NE(wall(report, "processes").by.find("no pids"), std::string::npos) << "and why it is not a better one";
  report = sandbox::report_isolation(boxed, place(cgroup_version::none, cgroup_version::v1), {});
  EXPECT_NE(wall(report, "memory").by.find("watcher"), std::string::npos);
  EXPECT_NE(wall(report, "processes").by.find("cgroup v1"), std::string::npos);
}

TEST(isolation_report, tells_what_is_lost) {
  auto now = place(cgroup_version::v1, cgroup_version::none);
  EXPECT_EQ(sandbox::report_isolation(boxed, now, {}).lost, (std::vector<std::string>{"no pids"}))
    << "there was a place for it";
  now.pids.folder.clear();
  EXPECT_TRUE(sandbox::report_isolation(boxed, now, {}).lost.empty()) << "there never was one";
}

TEST(isolation_report, shows_the_limits_that_guests_get) {
  sandbox::box what;
  what.memory_bytes = 100u << 20;
  what.temp_bytes = 7u << 20;
  what.processes = 20;
  auto report = sandbox::report_isolation(boxed, place(cgroup_version::v1, cgroup_version::v1), what);
  EXPECT_EQ(wall(report, "memory").limit, "100 MiB and 14 MiB of temp space");
  EXPECT_EQ(wall(report, "processes").limit, "20");
  EXPECT_EQ(wall(report, "temp space").limit, "7 MiB");
}

TEST(isolation_report, claims_nothing_that_nobody_enforces) {
  auto report = sandbox::report_isolation(isolation_of(isolation_mode::namespaces, "", false, 0),
                                          place(cgroup_version::v1, cgroup_version::v1), {});
  EXPECT_FALSE(wall(report, "system calls").holds);
  EXPECT_FALSE(wall(report, "landlock").holds);
  report = sandbox::report_isolation(isolation_of(isolation_mode::landlock_only, "no namespaces here", true, 0),
                                     place(cgroup_version::none, cgroup_version::none), {});
  EXPECT_EQ(report.reason, "no namespaces here");
  EXPECT_FALSE(wall(report, "file system").holds);
  EXPECT_TRUE(wall(report, "network").holds);
  report = sandbox::report_isolation(isolation_of(isolation_mode::landlock_only, "no namespaces here", false, 0),
                                     place(cgroup_version::none, cgroup_version::none), {});
  for (auto of : {"processes", "network", "file system", "temp space", "other processes", "system calls", "landlock"})
    EXPECT_FALSE(wall(report, of).holds) << of;
  EXPECT_TRUE(
    sandbox::report_isolation(isolation_of(isolation_mode::none, "nothing works", false, 0), {}, {}).layers.empty());
}

TEST(isolation_doc, is_complete) {
  msg::isolation_report report{
    "bare", "why", {{"memory", true, "cgroup v1", "1 MiB"}, {"network", false, "no seccomp", ""}}};
  EXPECT_EQ(
    boost::json::serialize(surface::isolation_doc(report)),
    R"({"mode":"bare","reason":"why","walls":{"memory":{"holds":true,"by":"cgroup v1","limit":"1 MiB"},"network":{"holds":false,"by":"no seccomp"}}})");
}

} // namespace sandbox_isolation_report_test
