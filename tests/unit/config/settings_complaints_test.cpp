// What a person is told of settings that are wrong.
#include "tests/unit/config/settings_fixture.hpp"

namespace config_settings_test {

TEST_F(settings_test, complaints_name_place_key_and_what_is_expected) {
  struct {
    const char *text, *message;
  } const cases[] = {
    {R"({"sandbox":{"isolation":"none"}})",
     "line 1, column 13: 'sandbox.isolation' must be auto or required, not \"none\""},
    {"{\n  // here\n  \"sandbox\": {\n    \"isolatoin\": \"required\"}}",
     "line 4, column 5: 'sandbox.isolatoin' is no setting; did you mean 'isolation'? Known here: isolation, memoryMb, "
     "pool, processes, tempMb"},
    {R"({"allowRead":[]})",
     "line 1, column 2: 'allowRead' is no setting; did you mean 'security.allowRead'? "
     "Known here: audit, executors, faults, health, log, mcpConfigPath, outputs, process, rateLimit, recording, "
     "resources, results, runs, sampling, sandbox, security, "
     "server, servers, sessions, stateDir, surface, version"},
    {R"({"security":{"allowRead":["/a", 5]}})", "line 1, column 33: 'security.allowRead[1]' must be a path, not 5"},
    {R"({"security":{"allowRead":"/a"}})", "line 1, column 14: 'security.allowRead' must be a list, not \"/a\""},
    {R"({"security":{"allowRead":[""]}})", "line 1, column 27: 'security.allowRead[0]' must be a path, not \"\""},
    {R"({"security":{"allowWrite":"yes"}})",
     "line 1, column 14: 'security.allowWrite' must be true, false or a list, not \"yes\""},
    {R"({"security":{"allowNetwork":["https://a.com/"]}})",
     "line 1, column 30: 'security.allowNetwork[0]' must be a host name, an address or a pattern such as "
     "*.example.com, without scheme and path, "
     "not \"https://a.com/\""},
    {R"({"security":{"allowedDomains":true}})",
     "line 1, column 14: 'security.allowedDomains' must be a list, not true"},
    {R"({"security":5})", "line 1, column 2: 'security' must be an object, not 5"},
    {R"({"sandbox":{"memoryMb":63}})",
     "line 1, column 13: 'sandbox.memoryMb' must be an integer from 64 to 1048576, not 63"},
    {R"({"sandbox":{"memoryMb":"512m"}})",
     "line 1, column 13: 'sandbox.memoryMb' must be an integer from 64 to 1048576, not \"512m\""},
    {R"({"sandbox":{"processes":-1}})",
     "line 1, column 13: 'sandbox.processes' must be an integer from 16 to 32768, not -1"},
    {R"({"sandbox":{"tempMb":1.5}})",
     "line 1, column 13: 'sandbox.tempMb' must be an integer from 1 to 1048576, not 1.5"},
    {R"({"sandbox":{"pool":{"size":3,"max":2}}})",
     "line 1, column 30: 'sandbox.pool.max' must not be below 'sandbox.pool.size'"},
    {R"({"executors":{"python":{"preload":["os; x"]}}})",
     "line 1, column 36: 'executors.python.preload[0]' must be the name of a module, not \"os; x\""},
    {R"({"executors":{"python":{"version":"2.7"}}})",
     "line 1, column 25: 'executors.python.version' must be a version of Python 3 such as \"3.11\", not \"2.7\""},
    {R"({"executors":{"python":{"version":3.11}}})",
     "line 1, column 25: 'executors.python.version' must be a version of Python 3 such as \"3.11\", not 3.11"},
    {R"({"executors":{"python":{"runtime":"jython"}}})",
     "line 1, column 25: 'executors.python.runtime' must be auto, cpython, pyodide or container, not \"jython\""},
    {R"({"executors":{"container":{"image":"--privileged"}}})",
     "line 1, column 28: 'executors.container.image' must be the name of an image, not \"--privileged\""},
    {R"({"executors":{"container":{"memory":"512x"}}})",
     "line 1, column 28: 'executors.container.memory' must be a size from 16m to 1048576m, such as "
     "512m, 1g or plain bytes, not \"512x\""},
    {R"({"executors":{"container":{"cpus":0}}})",
     "line 1, column 28: 'executors.container.cpus' must be a number from 0.01 to 1024.0, not 0"},
    {R"({"executors":{"container":{"user":"a:b:"}}})",
     "line 1, column 28: 'executors.container.user' must be a user, or user:group, such as 65534:65534, not \"a:b:\""},
    {R"({"version":2})", "line 1, column 2: 'version' must be an integer from 1 to 1, not 2"},
    {R"({"stateDir":null})", "line 1, column 2: 'stateDir' must be a path, not null"},
    {R"({"security":{"defaultTimeoutMs":1}})",
     "line 1, column 14: 'security.defaultTimeoutMs' must be an integer from 1000 to 300000, not 1"},
    {R"({"security":{"defaultTimeoutMs":3000,"maxTimeoutMs":2000}})",
     "line 1, column 14: 'security.defaultTimeoutMs' must not be above 'security.maxTimeoutMs', which is 2000"},
    {R"({"security":{"rateLimit":{}},"rateLimit":{}})", "line 1, column 14: 'security.rateLimit' means the same as "
                                                        "'rateLimit', which is given too; remove one of the two"},
    {R"({"security":{"enableAuditLog":false},"audit":{"enabled":true}})",
     "line 1, column 14: 'security.enableAuditLog' means the same as 'audit.enabled', which is given too; remove one "
     "of the two"},
    {R"({"security":{"skipDangerousPatternCheck":true,"dangerousPatterns":"warn"}})",
     "line 1, column 14: 'security.skipDangerousPatternCheck' must not be true where 'security.dangerousPatterns' is "
     "not off; remove one of the two"},
    {R"({"servers":{"idleTimeoutMs":5}})",
     "line 1, column 13: 'servers.idleTimeoutMs' must be an integer from 1000 to 604800000, or 0 for never, not 5"},
    {R"({"security":{"allowRead":["env:UNSET_4711"]}})",
     "line 1, column 27: 'security.allowRead[0]': the environment variable 'UNSET_4711' is not set; "
     "set it, or write the value itself"},
    {R"({"stateDir":"env:"})", "line 1, column 2: 'stateDir': the environment variable behind 'env:' has no name; set "
                               "it, or write the value itself"},
    {"{\"security\":{\"allowWrite\":false},\n \"security\":{\"allowWrite\":true}}",
     "line 2, column 2: 'security' is given twice; remove one of the two"},
    {R"({"sessions":{"max":1, "m\u0061x":2}})",
     "line 1, column 23: 'sessions.max' is given twice; remove one of the two"},
  };
  for (auto& c : cases)
    EXPECT_EQ(refused(c.text), folder_.path("home/.code-executor.json") + ": " + c.message);
}

TEST_F(settings_test, variables_are_held_to_the_same) {
  struct {
    variables given;
    const char* message;
  } const cases[] = {
    {{{"PYTHON_ENABLED", "maybe"}}, "PYTHON_ENABLED must be true or false, not 'maybe'"},
    {{{"MCP_BRIDGE_RUNTIME", "lxc"}}, "MCP_BRIDGE_RUNTIME must be podman or docker, not 'lxc'"},
    {{{"MCP_BRIDGE_PIDS", "128k"}}, "MCP_BRIDGE_PIDS must be an integer from 4 to 32768, not '128k'"},
    {{{"MCP_BRIDGE_CPUS", "two"}}, "MCP_BRIDGE_CPUS must be a number from 0.01 to 1024.0, not 'two'"},
    {{{"MCP_BRIDGE_CPUS", "nan"}}, "MCP_BRIDGE_CPUS must be a number from 0.01 to 1024.0, not 'nan'"},
    {{{"MCP_BRIDGE_TIMEOUT", "1h"}},
     "MCP_BRIDGE_TIMEOUT must be a time from 1s to 300s, such as 30s, 1500ms, 2m or plain seconds, not '1h'"},
    {{{"MCP_BRIDGE_TIMEOUT", "30s"}, {"MCP_BRIDGE_MAX_TIMEOUT", "20s"}},
     "MCP_BRIDGE_TIMEOUT must not be above MCP_BRIDGE_MAX_TIMEOUT"},
  };
  for (auto& c : cases)
    EXPECT_EQ(refused("{}", c.given), c.message);
}

TEST_F(settings_test, the_file_has_to_be_right_though_a_variable_overrides_it) {
  EXPECT_NE(
    refused(R"({"executors":{"python":{"enabled":5}}})", {{"PYTHON_ENABLED", "true"}}).find("must be true or false"),
    std::string::npos);
}

TEST_F(settings_test, the_value_of_a_referenced_variable_is_not_told) {
  for (auto* text : {R"({"executors":{"container":{"image":"env:SECRET"}}})", R"({"sessions":{"max":"env:SECRET"}})",
                     R"({"sandbox":{"isolation":"env:SECRET"}})", R"({"security":{"allowNetwork":["env:SECRET"]}})"}) {
    auto told = refused(text, {{"SECRET", "sk 4711"}});
    EXPECT_EQ(told.find("4711"), std::string::npos) << told;
    EXPECT_NE(told.find("env:SECRET"), std::string::npos) << told;
  }
}

TEST_F(settings_test, without_a_home) {
  folder_.write("project/.code-executor.json", R"({"stateDir":"~/x"})");
  auto none = [](std::string_view) { return std::string{}; };
  auto env = config::read_environment(none, folder_.path("project"));
  EXPECT_NE(config::load_settings(env, none).error.message.find("HOME is not set"), std::string::npos);
  std::filesystem::remove(project(".code-executor.json"));
  auto s = config::load_settings(env, none).value;
  EXPECT_EQ(s.searched, strings{});
  EXPECT_EQ(s.state_folder, "");
}

} // namespace config_settings_test
