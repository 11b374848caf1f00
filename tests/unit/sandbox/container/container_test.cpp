#include "sandbox/container/container.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sandbox_container_test {

using strings = std::vector<std::string>;
using sandbox::container_tool;

class container_test : public testing::Test {
protected:
  container_test() {
    engine_.executable = "/usr/bin/podman";
    engine_.default_runtime = "crun";
    engine_.storage_driver = "overlay";
    engine_.cgroup_version = "v2";
    engine_.enforced = {true, true, true};
    run_ = {"code-executor-7-abc", "1-7-99", "/opt/guest", "/home/u/.code-executor/containers/x", {},
            {"python3", "main.py"}};
    settings_.image = "image:1";
  }
  strings arguments() { return sandbox::run_arguments(settings_, engine_, run_); }
  static bool has(const strings& a, const strings& run) {
    return std::search(a.begin(), a.end(), run.begin(), run.end()) != a.end();
  }
  /// "<holds> <by>: <limit>"; empty: there is no such wall.
  std::string wall(const std::string& of) {
    for (auto& w : sandbox::report_isolation(settings_, engine_).layers)
      if (w.of == of)
        return (w.holds ? "holds " : "open ") + w.by + ": " + w.limit;
    return {};
  }

  sandbox::container_settings settings_;
  sandbox::container_engine engine_;
  sandbox::container_run run_;
};

TEST_F(container_test, has_every_wall) {
  auto a = arguments();
  for (auto& wall :
       std::vector<strings>{{"/usr/bin/podman", "run", "--rm", "--interactive", "--network", "none", "--read-only"},
                            {"--pids-limit", "128"},
                            {"--memory", "536870912"},
                            {"--memory-swap", "536870912"},
                            {"--tmpfs", "/tmp:rw,noexec,nosuid,nodev,size=64m"},
                            {"--tmpfs", "/workspace:rw,noexec,nosuid,nodev,size=128m"},
                            {"--shm-size", "67108864"},
                            {"--workdir", "/workspace"},
                            {"--env", "HOME=/workspace"},
                            {"--env", "PYTHONUNBUFFERED=1"},
                            {"--env", "PYTHONIOENCODING=utf-8"},
                            {"--env", "PYTHONDONTWRITEBYTECODE=1"},
                            {"--security-opt", "no-new-privileges", "--cap-drop", "ALL", "--user", "65534:65534"},
                            {"--read-only-tmpfs=false"},
                            {"--no-hosts"},
                            {"--http-proxy=false"},
                            {"--ulimit", "core=0:0"},
                            {"--ulimit", "nofile=256:256"},
                            {"--name", "code-executor-7-abc"},
                            {"--label", "code-executor.owner=1-7-99"},
                            {"--pull", "never", "--stop-timeout", "0", "--log-driver", "none"},
                            {"--security-opt", "seccomp=/opt/guest/container/seccomp.json"},
                            {"--volume", "/opt/guest/python:/guest/python:ro"},
                            {"--volume", "/opt/guest/container:/guest/container:ro"}})
    EXPECT_TRUE(has(a, wall)) << testing::PrintToString(wall);
  EXPECT_TRUE(has(a, {"image:1", "python3", "main.py"}));
  EXPECT_EQ(a.back(), "main.py");
}

TEST_F(container_test, has_no_hole) {
  auto a = arguments();
  for (auto* hole :
       {"--privileged", "--cap-add", "--device", "--pid", "--ipc", "--userns", "--uidmap", "--cpus", "label=disable"})
    EXPECT_FALSE(has(a, {hole})) << hole;
  EXPECT_EQ(std::count(a.begin(), a.end(), "--volume"), 3);
  for (size_t i = 0; i + 1 < a.size(); ++i)
    if (a[i] == "--volume") {
      EXPECT_TRUE(a[i + 1].ends_with(":ro")) << a[i + 1];
    }
}

TEST_F(container_test, shows_the_name_of_the_token_only) {
  EXPECT_TRUE(
    has(arguments(), {"--volume", "/home/u/.code-executor/containers/x:/ipc:ro", "--env", "CODE_EXECUTOR_TOKEN"}));
  run_.ipc_folder.clear();
  EXPECT_FALSE(has(arguments(), {"CODE_EXECUTOR_TOKEN"}));
}

TEST_F(container_test, follows_the_settings) {
  settings_.memory_bytes = 64 << 20;
  settings_.pids = 40;
  settings_.cpus = "1.5";
  settings_.user = "1000:1000";
  auto a = arguments();
  for (auto& part : std::vector<strings>{{"--memory", "67108864"},
                                         {"--memory-swap", "67108864"},
                                         {"--pids-limit", "40"},
                                         {"--cpus", "1.5"},
                                         {"--user", "1000:1000"}})
    EXPECT_TRUE(has(a, part)) << testing::PrintToString(part);
}

TEST_F(container_test, counts_processes_by_rlimit_where_no_cgroup_does) {
  EXPECT_TRUE(has(arguments(), {"--ulimit", "nproc=12800:12800"})) << "of all containers together: one user";
  engine_.enforced.pids = false;
  EXPECT_TRUE(has(arguments(), {"--ulimit", "nproc=128:128"}));
  engine_.own_users = true;
  EXPECT_TRUE(has(arguments(), {"--uidmap", "0:1:65535", "--gidmap", "0:1:65535"}));
}

TEST_F(container_test, asks_for_no_more_than_it_may_have_itself) {
  engine_.ceiling = {100, 50};
  EXPECT_TRUE(has(arguments(), {"--ulimit", "nofile=100:100"}));
  EXPECT_TRUE(has(arguments(), {"--ulimit", "nproc=50:50"}));
}

TEST_F(container_test, names_another_runtime_before_the_command) {
  engine_.oci_runtime = "runc";
  EXPECT_TRUE(has(arguments(), {"/usr/bin/podman", "--runtime", "runc", "run"}));
}

TEST_F(container_test, opens_its_socket_to_containers_under_selinux) {
  engine_.selinux = true;
  EXPECT_TRUE(has(arguments(), {"--security-opt", "label=disable"}));
}

TEST_F(container_test, tells_docker_only_what_it_knows) {
  engine_.tool = container_tool::docker;
  auto a = arguments();
  for (auto* unknown : {"--read-only-tmpfs=false", "--no-hosts", "--http-proxy=false", "--workdir"})
    EXPECT_FALSE(has(a, {unknown})) << unknown;
  EXPECT_TRUE(has(a, {"--env", "HTTPS_PROXY="})) << "its config.json may hold one with a password";
  EXPECT_EQ(sandbox::remove_arguments(engine_, {"n"}), (strings{"/usr/bin/podman", "rm", "--force", "--volumes", "n"}));
}

TEST_F(container_test, removes_at_once_and_whether_it_is_there_or_not) {
  EXPECT_EQ(sandbox::remove_arguments(engine_, {"n", "m"}),
            (strings{"/usr/bin/podman", "rm", "--force", "--volumes", "--ignore", "--time", "0", "n", "m"}));
}

TEST_F(container_test, is_killed_by_podman_after_its_time) {
  EXPECT_FALSE(has(arguments(), {"--timeout"}));
  run_.alive_max = std::chrono::hours{24};
  EXPECT_TRUE(has(arguments(), {"--timeout", "86400"}));
  engine_.tool = container_tool::docker;
  EXPECT_FALSE(has(arguments(), {"--timeout"})) << "docker has no such limit";
}

TEST_F(container_test, finds_leftovers_of_the_dead_only) {
  auto is_dead = [](std::string_view owner) { return owner == "dead"; };
  EXPECT_EQ(sandbox::leftovers_in("code-executor-1-a dead\ncode-executor-2-b alive\nother dead\ncode-executor-3-c dead",
                                  is_dead),
            (strings{"code-executor-1-a", "code-executor-3-c"}));
  EXPECT_TRUE(sandbox::leftovers_in("", is_dead).empty());
  EXPECT_TRUE(sandbox::leftovers_in("code-executor-1\n\n \n", is_dead).empty());
}

TEST_F(container_test, reads_what_podman_says_of_itself) {
  auto problem =
    sandbox::read_info(R"({"host": {"cgroupVersion": "v1", "ociRuntime": {"name": "crun"}, "serviceIsRemote": false,
    "security": {"rootless": true, "selinuxEnabled": true}}, "store": {"graphDriverName": "vfs"}})",
                       engine_);
  EXPECT_EQ(problem.code, msg::errc::none) << problem.message;
  EXPECT_TRUE(engine_.rootless && engine_.selinux);
  EXPECT_EQ(engine_.cgroup_version + engine_.default_runtime + engine_.storage_driver, "v1crunvfs");
}

TEST_F(container_test, reads_what_docker_says_of_itself) {
  engine_.tool = container_tool::docker;
  auto problem = sandbox::read_info(R"({"CgroupVersion": "2", "DefaultRuntime": "runc", "Driver": "overlay2",
    "SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless", 7]})",
                                    engine_);
  EXPECT_EQ(problem.code, msg::errc::none);
  EXPECT_TRUE(engine_.rootless && !engine_.selinux);
  EXPECT_EQ(engine_.cgroup_version + engine_.default_runtime + engine_.storage_driver, "v2runcoverlay2");
}

TEST_F(container_test, refuses_an_engine_that_is_elsewhere_or_talks_nonsense) {
  EXPECT_NE(sandbox::read_info(R"({"host": {"serviceIsRemote": true}})", engine_).message.find("another machine"),
            std::string::npos);
  engine_.remote = false;
  for (auto* text : {"", "WARNING", "{"})
    EXPECT_EQ(sandbox::read_info(text, engine_).code, msg::errc::runtime_missing) << text;
  for (auto* text : {"[]", "{}", "7", R"({"host": 1, "store": null})"})
    EXPECT_EQ(sandbox::read_info(text, engine_).code, msg::errc::none) << text;
}

TEST_F(container_test, believes_only_limits_that_were_seen) {
  settings_.cpus = "0.5";
  auto seen = [&](const char* text) { return sandbox::read_probe(text, settings_); };
  auto all = seen(R"({"memory": 536870912, "pids": 128, "cpus": 0.5})");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all.value.memory && all.value.pids && all.value.cpus);
  auto none = seen(R"({"memory": 9223372036854771712, "pids": 0, "cpus": 0})");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none.value.memory || none.value.pids || none.value.cpus);
  EXPECT_FALSE(seen("{}").value.memory);
  EXPECT_FALSE(seen("no JSON").ok());
}

TEST_F(container_test, claims_only_what_is_enforced) {
  EXPECT_EQ(wall("memory"), "holds cgroup v2: 512 MiB, temp space included");
  EXPECT_EQ(wall("processes"), "holds cgroup v2: 128");
  EXPECT_EQ(wall("cpus"), "");
  settings_.cpus = "2";
  EXPECT_EQ(wall("cpus"), "holds cgroup v2: 2");
  engine_.rootless = true;
  engine_.cgroup_version = "v1";
  engine_.enforced = {};
  EXPECT_EQ(wall("memory"), "holds rlimit per process + watcher of the whole container every 100 ms (podman ignores "
                            "--memory here: rootless on cgroup v1): 512 MiB");
  EXPECT_EQ(wall("processes"),
            "holds rlimit of all containers together (podman ignores --pids-limit here: rootless on cgroup v1): 128");
  EXPECT_EQ(wall("cpus"), "open podman ignores --cpus here: rootless on cgroup v1: ");
  engine_.own_users = true;
  EXPECT_TRUE(wall("processes").starts_with("holds rlimit of the container's own user namespace ("))
    << wall("processes");
}

TEST_F(container_test, says_what_runs_and_when_that_is_slow) {
  engine_.oci_runtime = "runc";
  EXPECT_EQ(sandbox::report_isolation(settings_, engine_).reason,
            "podman, as root, runc (crun does not work here), storage overlay, image image:1");
  engine_.storage_driver = "vfs";
  EXPECT_NE(sandbox::report_isolation(settings_, engine_).reason.find("copies the image at every start"),
            std::string::npos);
}

TEST_F(container_test, quotes_the_error_and_not_the_warnings_before_it) {
  EXPECT_EQ(sandbox::error_in("Resource limits are ignored\nError: no such image\n\n"), "Error: no such image");
  EXPECT_EQ(sandbox::error_in("one"), "one");
  EXPECT_EQ(sandbox::error_in("\n"), "");
}

TEST_F(container_test, gives_the_engine_no_secret) {
  auto everything = [](std::string_view name) { return "value of " + std::string{name}; };
  auto given = sandbox::engine_environment(everything);
  EXPECT_TRUE(has(given, {"HOME=value of HOME"}));
  for (auto& variable : given)
    EXPECT_TRUE(variable.find("KEY") == std::string::npos && variable.find("http") == std::string::npos) << variable;
  EXPECT_TRUE(sandbox::engine_environment([](std::string_view) { return std::string{}; }).empty());
}

} // namespace sandbox_container_test
