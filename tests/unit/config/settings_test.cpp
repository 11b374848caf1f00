#include "tests/unit/config/settings_fixture.hpp"

namespace config_settings_test {

// ---- the file ----------------------------------------------------------------------------------

TEST_F(settings_test, none_at_all_gives_the_defaults) {
  auto s = load().value;
  EXPECT_EQ(s.file, "");
  EXPECT_EQ(s.searched,
            (strings{folder_.path("home/.code-executor.json"), folder_.path("home/.code-executor/config.json"),
                     folder_.path("home/.config/code-executor/config.json")}));
  EXPECT_TRUE(s.security.allow_read.empty() && s.security.allow_write.empty() && s.security.allow_hosts.empty()
              && !s.security.allow_any_host);
  EXPECT_EQ(s.sandbox.isolation, config::isolation::automatic);
  EXPECT_EQ(s.sandbox.pool_size, 1u);
  EXPECT_EQ(s.sandbox.pool_max, 4u);
  EXPECT_EQ(s.sandbox.pool_idle, 60s);
  EXPECT_EQ(s.sandbox.memory_bytes, 512u << 20);
  EXPECT_EQ(s.sandbox.processes, 64u);
  EXPECT_EQ(s.sandbox.temp_bytes, 64u << 20);
  EXPECT_TRUE(s.typescript.enabled && s.python.enabled);
  EXPECT_EQ(s.typescript.deno + s.python.python + s.python.version + s.python.venv + s.container.image + s.servers_file,
            "");
  EXPECT_EQ(s.python.runtime, config::python_runtime::automatic);
  EXPECT_EQ(s.container.tool, config::container_tool::first_found);
  EXPECT_EQ(s.container.memory_bytes, 512u << 20);
  EXPECT_EQ(s.container.processes, 128u);
  EXPECT_EQ(s.container.cpus, 0);
  EXPECT_EQ(s.container.user, "65534:65534");
  EXPECT_EQ(s.bridge.output, config::bridge_output::compact);
  EXPECT_EQ(s.outputs.ttl, 3600s);
  EXPECT_EQ(s.outputs.bytes_max, 256u << 20);
  EXPECT_EQ(s.bridge.timeout, 30s);
  EXPECT_EQ(s.bridge.timeout_max, 300s);
  EXPECT_EQ(s.sessions.idle, 1800s);
  EXPECT_EQ(s.sessions.count_max, 16u);
  EXPECT_EQ(s.state_folder, folder_.path("home/.code-executor"));
}

TEST_F(settings_test, the_first_file_counts) {
  const strings places{"home/.config/code-executor/config.json", "home/.code-executor/config.json",
                       "home/.code-executor.json"};
  for (size_t i = 0; i < places.size(); ++i) { // each is before those that exist already
    auto path = folder_.write(places[i], R"({"sessions":{"max":)" + std::to_string(i + 1) + "}}");
    auto s = load().value;
    EXPECT_EQ(s.file, path);
    EXPECT_EQ(s.sessions.count_max, i + 1) << "the files are not merged";
  }
  auto named = folder_.write("elsewhere/own.json", R"({"sessions":{"max":9}})");
  EXPECT_EQ(load({{"CODE_EXECUTOR_CONFIG_PATH", named}}).value.sessions.count_max, 9u);
  EXPECT_EQ(load({{"CODE_EXECUTOR_CONFIG_PATH", "../elsewhere/own.json"}}).value.file, named);
  folder_.write("home/own.json", "{}");
  EXPECT_EQ(load({{"CODE_EXECUTOR_CONFIG_PATH", "~/own.json"}}).value.file, folder_.path("home/own.json"));
}

TEST_F(settings_test, a_named_file_has_to_exist) {
  folder_.write("home/.code-executor.json", "{}");
  auto loaded = load({{"CODE_EXECUTOR_CONFIG_PATH", "/no/such.json"}});
  EXPECT_EQ(loaded.error.code, errc::invalid_argument);
  EXPECT_EQ(loaded.error.message, "/no/such.json: there is no such file, and CODE_EXECUTOR_CONFIG_PATH names it");
}

TEST_F(settings_test, a_broken_file_is_never_passed_over) {
  folder_.write("home/.code-executor/config.json", "{}");
  EXPECT_EQ(refused("{\n  \"security\": {\n"),
            folder_.path("home/.code-executor.json") + ": broken JSON at line 3, column 1: incomplete JSON");
  EXPECT_NE(refused("{\"a\": }").find("line 1, column 7"), std::string::npos);
  for (auto* text : {"", "[]", "5", "null", "\"x\"", "{} {}"})
    EXPECT_TRUE(refused(text).starts_with(folder_.path("home/.code-executor.json") + ": ")) << text;
  std::filesystem::remove(folder_.path("home/.code-executor.json"));
  std::filesystem::create_directory(folder_.path("home/.code-executor.json"));
  EXPECT_FALSE(load().ok()) << "a folder";
}

TEST_F(settings_test, is_bounded) {
  auto text = "{" + std::string(msg::limits::settings_file_bytes_max, ' ') + "}";
  EXPECT_EQ(load_text(text).error.code, errc::limit_exceeded);
  std::string paths = "\"/a\"";
  for (size_t i = 0; i < msg::limits::settings_list_max; ++i)
    paths += ",\"/a\"";
  EXPECT_NE(refused(R"({"security":{"allowRead":[)" + paths + "]}}").find("at most 1000 entries"), std::string::npos);
}

// ---- values that are taken ---------------------------------------------------------------------

struct taken {
  const char* text;
  std::function<bool(const settings&)> is_right;
};

TEST_F(settings_test, keys_are_taken) {
  auto p = [this](std::string_view name) { return folder_.path("home") + "/" + std::string{name}; };
  const taken cases[] = {
    {"{}", [](auto&) { return true; }},
    {"// mine\n{ /* one */ \"version\": 1, }", [](auto&) { return true; }},
    {R"({"security":{"allowRead":["/a","b/../c/","~/d","~"]}})",
     [&](auto& s) {
       return s.security.allow_read == strings{"/a", p("c"), folder_.path("home/d"), folder_.path("home")}
              && s.security.allow_write.empty();
     }},
    {R"({"security":{"allowRead":["/"]}})", [](auto& s) { return s.security.allow_read == strings{"/"}; }},
    {R"({"security":{"allowWrite":false,"allowRead":["/a"]}})", [](auto& s) { return s.security.allow_write.empty(); }},
    {R"({"security":{"allowWrite":true,"allowRead":["/a"]}})",
     [](auto& s) { return s.security.allow_write == strings{"/a"}; }},
    {R"({"security":{"allowWrite":["out"],"allowRead":["/a"]}})",
     [&](auto& s) { return s.security.allow_write == strings{p("out")}; }},
    {R"({"security":{"allowNetwork":true}})",
     [](auto& s) { return s.security.allow_any_host && s.security.allow_hosts.empty(); }},
    {R"({"security":{"allowNetwork":false}})",
     [](auto& s) { return !s.security.allow_any_host && s.security.allow_hosts.empty(); }},
    {R"({"security":{"allowNetwork":["a.com","*.b.com:8443","[::1]"],"allowedDomains":["c.com"]}})",
     [](auto& s) {
       return !s.security.allow_any_host
              && s.security.allow_hosts == strings{"a.com", "*.b.com:8443", "[::1]", "c.com"};
     }},
    {R"({"sandbox":{"isolation":"required"}})",
     [](auto& s) { return s.sandbox.isolation == config::isolation::required; }},
    {R"({"sandbox":{"isolation":"auto"}})",
     [](auto& s) { return s.sandbox.isolation == config::isolation::automatic; }},
    {R"({"sandbox":{"pool":{"size":0,"max":2,"idleSeconds":5}}})",
     [](auto& s) { return s.sandbox.pool_size == 0 && s.sandbox.pool_max == 2 && s.sandbox.pool_idle == 5s; }},
    {R"({"sandbox":{"pool":{"size":9}}})", [](auto& s) { return s.sandbox.pool_max == 9; }},
    {R"({"sandbox":{"memoryMb":128,"processes":20,"tempMb":1}})",
     [](auto& s) {
       return s.sandbox.memory_bytes == 128u << 20 && s.sandbox.processes == 20 && s.sandbox.temp_bytes == 1u << 20;
     }},
    {R"({"executors":{"typescript":{"enabled":false,"denoPath":"deno"}}})",
     [](auto& s) { return !s.typescript.enabled && s.typescript.deno == "deno"; }},
    {R"({"executors":{"typescript":{"denoPath":"./deno"}}})", [&](auto& s) { return s.typescript.deno == p("deno"); }},
    {R"({"executors":{"python":{"enabled":false,"pythonPath":"~/python3","version":"3.11","venv":"venv","runtime":"pyodide"}}})",
     [&](auto& s) {
       return !s.python.enabled && s.python.python == folder_.path("home/python3") && s.python.version == "3.11"
              && s.python.venv == p("venv") && s.python.runtime == config::python_runtime::pyodide;
     }},
    {R"({"executors":{"python":{"preload":["numpy","os.path"]}}})",
     [](auto& s) {
       return s.python.preload == std::vector<std::string>{"numpy", "os.path"};
     }},
    {R"({"executors":{"container":{"runtime":"docker","image":"docker.io/python:3.14-slim","memory":"1g","pids":64,"cpus":1.5,"user":"me:1000"}}})",
     [](auto& s) {
       auto& c = s.container;
       return c.tool == config::container_tool::docker && c.image == "docker.io/python:3.14-slim"
              && c.memory_bytes == 1u << 30 && c.processes == 64 && c.cpus == 1.5 && c.user == "me:1000"
              && s.python.runtime == config::python_runtime::automatic;
     }},
    {R"({"executors":{"container":{"memory":67108864,"cpus":2}}})",
     [](auto& s) { return s.container.memory_bytes == 64u << 20 && s.container.cpus == 2; }},
    {R"({"outputs":{"ttlSeconds":5,"maxMb":3}})",
     [](auto& s) { return s.outputs.ttl == 5s && s.outputs.bytes_max == 3u << 20; }},
    {R"({"sessions":{"idleSeconds":10,"max":2}})",
     [](auto& s) { return s.sessions.idle == 10s && s.sessions.count_max == 2; }},
    {R"({"security":{"allowedTools":["mcp__a__*"],"deniedTools":["mcp__a__b"],"pinTools":"block"}})",
     [](auto& s) {
       auto& t = s.security.tools;
       return !t.everything && t.allowed == strings{"mcp__a__*"} && t.denied == strings{"mcp__a__b"}
              && s.security.pins == config::pin_policy::block;
     }},
    {R"({"security":{"confirm":["mcp__git__*","*__delete","*","mcp*"]}})",
     [](auto& s) { return s.security.tools.confirmed.size() == 4 && s.security.tools.everything; }},
    {R"({"security":{"allowedTools":[]}})",
     [](auto& s) { return !s.security.tools.everything && s.security.tools.allowed.empty(); }},
    {R"({"security":{"deniedTools":[]}})", [](auto& s) { return s.security.tools.everything; }},
    {R"({"security":{"dangerousPatterns":"warn"}})",
     [](auto& s) { return s.security.patterns == config::pattern_policy::warn; }},
    {R"({"security":{"skipDangerousPatternCheck":true}})",
     [](auto& s) { return s.security.patterns == config::pattern_policy::off; }},
    {R"({"security":{"skipDangerousPatternCheck":false}})",
     [](auto& s) { return s.security.patterns == config::pattern_policy::block; }},
    {R"({"runs":{"maxConcurrent":2,"queueSize":0,"queueTimeoutMs":1000,"maxToolCalls":5,"maxSameFailures":3}})",
     [](auto& s) {
       auto& r = s.runs;
       return r.at_once_max == 2 && r.queued_max == 0 && r.queue_wait_max == 1s && r.tool_calls_max == 5
              && r.same_failures_max == 3;
     }},
    {R"({"security":{"defaultTimeoutMs":2000,"maxTimeoutMs":3000,"maxCodeSize":1000}})",
     [](auto& s) { return s.runs.timeout == 2s && s.runs.timeout_max == 3s && s.runs.code_bytes_max == 1000; }},
    {R"({"security":{"maxTimeoutMs":3000}})", [](auto& s) { return s.runs.timeout == 3s && s.runs.timeout_max == 3s; }},
    {R"({"servers":{"breaker":{"failures":3,"windowMs":4000,"openMs":500},"startsPerMinute":6,"idleTimeoutMs":7000,"maxRunning":8,"maxConcurrent":9}})",
     [](auto& s) {
       auto& v = s.servers;
       return v.failures_max == 3 && v.failure_window == 4s && v.open_for == 500ms && v.starts_per_minute == 6
              && v.idle == 7s && v.running_max == 8 && v.calls_max == 9;
     }},
    {R"({"servers":{"idleTimeoutMs":0}})", [](auto& s) { return s.servers.idle == 0s; }},
    {R"({"rateLimit":{"enabled":true}})",
     [](auto& s) { return s.rates.enabled && s.rates.runs.requests == 30 && s.rates.per_server.requests == 0; }},
    {R"({"rateLimit":{"maxRequests":5}})", [](auto& s) { return s.rates.enabled && s.rates.runs.requests == 5; }},
    {R"({"rateLimit":{"enabled":false,"maxRequests":5}})", [](auto& s) { return !s.rates.enabled; }},
    {R"({"security":{"rateLimit":{"maxRequests":5,"windowMs":1000,"perServer":{"maxRequests":6},"perTool":{"maxRequests":7,"windowMs":2000}}}})",
     [](auto& s) {
       auto& r = s.rates;
       return r.enabled && r.runs.requests == 5 && r.runs.window_ms == 1000 && r.per_server.requests == 6
              && r.per_server.window_ms == 60'000 && r.per_tool.requests == 7 && r.per_tool.window_ms == 2000;
     }},
    {R"({"audit":{"enabled":false,"path":"a.jsonl","retentionDays":5}})",
     [&](auto& s) { return !s.audit.enabled && s.audit.path == p("a.jsonl") && s.audit.retention_days == 5; }},
    {R"({"security":{"enableAuditLog":false,"auditLogPath":"logs"}})",
     [&](auto& s) { return !s.audit.enabled && s.audit.path == p("logs"); }},
    {R"({"health":{"port":3001,"host":"::1"}})",
     [](auto& s) { return s.health.port == 3001 && s.health.host == "::1"; }},
    {R"({"log":{"level":"warn","format":"json"}})",
     [](auto& s) { return s.log.level == "warning" && s.log.form == config::log_form::json; }},
    {R"({"stateDir":"state","mcpConfigPath":"./.mcp.json"})",
     [&](auto& s) { return s.state_folder == p("state") && s.servers_file == p(".mcp.json"); }},
  };
  for (auto& c : cases)
    EXPECT_TRUE(c.is_right(accepted(c.text))) << c.text;
}

TEST_F(settings_test, variables_override) {
  struct {
    variables given;
    std::function<bool(const settings&)> is_right;
  } const cases[] = {
    {{{"DENO_PATH", "/d"}, {"PYTHON_PATH", "python3.12"}},
     [](auto& s) { return s.typescript.deno == "/d" && s.python.python == "python3.12"; }},
    {{{"PYTHON_ENABLED", "false"}}, [](auto& s) { return !s.python.enabled; }},
    {{{"PYTHON_ENABLED", "1"}}, [](auto& s) { return s.python.enabled; }},
    {{{"ALLOWED_PROJECTS", "/p::rel:~/x"}},
     [&](auto& s) {
       return s.security.allow_read == strings{"/file", "/p", project("rel"), folder_.path("home/x")};
     }},
    {{{"MCP_BRIDGE_RUNTIME", "podman"}},
     [](auto& s) {
       return s.container.tool == config::container_tool::podman && s.python.runtime == config::python_runtime::cpython;
     }},
    {{{"MCP_BRIDGE_IMAGE", "i"},
      {"MCP_BRIDGE_MEMORY", "64m"},
      {"MCP_BRIDGE_PIDS", "7"},
      {"MCP_BRIDGE_CPUS", "0.5"},
      {"MCP_BRIDGE_CONTAINER_USER", "0"}},
     [](auto& s) {
       auto& c = s.container;
       return c.image == "i" && c.memory_bytes == 64u << 20 && c.processes == 7 && c.cpus == 0.5 && c.user == "0";
     }},
    {{{"MCP_BRIDGE_TIMEOUT", "30s"}, {"MCP_BRIDGE_MAX_TIMEOUT", "2m"}},
     [](auto& s) { return s.bridge.timeout == 30s && s.bridge.timeout_max == 120s; }},
    {{{"MCP_BRIDGE_OUTPUT_MODE", "toon"}}, [](auto& s) { return s.bridge.output == config::bridge_output::toon; }},
    {{{"MCP_BRIDGE_OUTPUT_MODE", "compact"}},
     [](auto& s) { return s.bridge.output == config::bridge_output::compact; }},
    {{{"MCP_BRIDGE_TIMEOUT", "1500ms"}},
     [](auto& s) { return s.bridge.timeout == 1500ms && s.bridge.timeout_max == 300s; }},
    {{{"MCP_BRIDGE_MAX_TIMEOUT", "10"}},
     [](auto& s) { return s.bridge.timeout == 10s && s.bridge.timeout_max == 10s; }},
    {{{"CODE_EXECUTOR_STATE_DIR", "/state"}}, [](auto& s) { return s.state_folder == "/state"; }},
    {{{"CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS", "1"}},
     [](auto& s) { return s.security.patterns == config::pattern_policy::off; }},
    {{{"CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS", "false"}},
     [](auto& s) { return s.security.patterns == config::pattern_policy::warn; }},
    {{{"POOL_MAX_CONCURRENT", "7"}, {"POOL_QUEUE_SIZE", "8"}, {"POOL_QUEUE_TIMEOUT_MS", "9000"}},
     [](auto& s) { return s.runs.at_once_max == 7 && s.runs.queued_max == 8 && s.runs.queue_wait_max == 9s; }},
    {{{"CIRCUIT_BREAKER_THRESHOLD", "2"}, {"CIRCUIT_BREAKER_TIMEOUT_MS", "100"}},
     [](auto& s) { return s.servers.failures_max == 2 && s.servers.open_for == 100ms; }},
    {{{"CODE_EXECUTOR_RATE_LIMIT_RPM", "12"}},
     [](auto& s) { return s.rates.enabled && s.rates.runs.requests == 12 && s.rates.runs.window_ms == 60'000; }},
    {{{"ENABLE_AUDIT_LOG", "false"}, {"AUDIT_LOG_PATH", "a"}, {"AUDIT_LOG_RETENTION_DAYS", "1"}},
     [&](auto& s) { return !s.audit.enabled && s.audit.path == project("a") && s.audit.retention_days == 1; }},
    {{{"HEALTH_CHECK_PORT", "81"}, {"HEALTH_CHECK_HOST", "h"}},
     [](auto& s) { return s.health.port == 81 && s.health.host == "h"; }},
    {{{"ENABLE_HEALTH_CHECK", "false"}}, [](auto& s) { return s.health.port == 0; }},
    {{{"CODE_EXECUTOR_LOG_LEVEL", "error"}, {"CODE_EXECUTOR_LOG_FORMAT", "json"}},
     [](auto& s) { return s.log.level == "error" && s.log.form == config::log_form::json; }},
    {{{"MCP_CONFIG_PATH", "/m.json"}}, [](auto& s) { return s.servers_file == "/m.json"; }},
  };
  constexpr auto text =
    R"({"security":{"allowRead":["/file"],"dangerousPatterns":"warn"}, "runs":{"maxConcurrent":5,"queueSize":5,"queueTimeoutMs":5000},
    "servers":{"breaker":{"failures":5,"openMs":5000}}, "rateLimit":{"enabled":false}, "audit":{"enabled":true,"path":"/x"},
    "health":{"port":80,"host":"x"}, "log":{"level":"info","format":"text"}, "stateDir":"/s", "mcpConfigPath":"/x", "executors":{
    "typescript":{"denoPath":"/x"}, "python":{"enabled":true,"pythonPath":"/x","runtime":"cpython"},
    "container":{"runtime":"docker","image":"x","memory":"1g","pids":64,"cpus":1,"user":"1:1"}}})";
  for (auto& c : cases)
    EXPECT_TRUE(c.is_right(accepted(text, c.given))) << c.given.begin()->first << "=" << c.given.begin()->second;
}

TEST_F(settings_test, env_names_a_variable) {
  const variables given{{"ROOT", "/r"}, {"OFF", "false"}, {"N", "3"}, {"K", "env:ROOT"}};
  auto s = accepted(
    R"({"security":{"allowRead":["env:ROOT","env:ROOT/sub"],"allowWrite":"env:OFF"},"sessions":{"max":"env:N"}})",
    given);
  EXPECT_EQ(s.security.allow_read, (strings{"/r", "/r/sub"}));
  EXPECT_EQ(s.sessions.count_max, 3u);
  s = accepted(R"({"security":{"allowRead":["env:K"]}})", given);
  EXPECT_EQ(s.security.allow_read, strings{folder_.path("home/env:ROOT")}) << "a value is not looked at again";
}

} // namespace config_settings_test
