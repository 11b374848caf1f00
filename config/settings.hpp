// Our own settings: one JSON file, then environment variables. Nothing in it is ever ignored: what is unknown, of the
// wrong type or out of range stops the start, because a policy that is dropped in silence protects no user. A file of
// the project takes away from all that, and adds nothing.
//
// A comment behind a field gives its key; [VARIABLE] overrides it; the default is the initializer, (a..b) the range.
// Relative paths are relative to the file's folder (of a variable: to the working directory); "~" is HOME.
#pragma once

#include "config/environment.hpp"
#include "config/setting_entry.hpp"
#include "content_filter/filter.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/http_limits.hpp"
#include "messages/limits.hpp"
#include "messages/policy.hpp"
#include "messages/server_questions.hpp"
#include "sampling/provider.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace config {

enum class isolation : uint8_t {
  automatic, ///< the strongest that this machine allows
  required,  ///< namespaces, or no run at all
};
enum class python_runtime : uint8_t { automatic, cpython, pyodide, container };
enum class bridge_output : uint8_t { compact, toon };
enum class container_tool : uint8_t { first_found, podman, docker };

enum class pattern_policy : uint8_t { block, warn, off };
enum class pin_policy : uint8_t { off, warn, block };
enum class log_form : uint8_t { text, json };
enum class shown_tools : uint8_t { code, discovery, bridge, all };
enum class result_form : uint8_t { text, structured };

/// What clients see of us.
struct client_settings {
  shown_tools surface = shown_tools::code; ///< surface [CODE_EXECUTOR_SURFACE]: code, discovery, bridge, all
  result_form results = result_form::text; ///< results [CODE_EXECUTOR_RESULTS]: text, structured
  /// resources: kept outputs are listed as resources; with surface all they are always.
  bool resources = false;
};

/// security.
struct security_settings {
  std::vector<std::string> allow_read;  ///< allowRead, folders and files; ALLOWED_PROJECTS (a ':' list) adds to it
  std::vector<std::string> allow_write; ///< allowWrite: false, true (all of allowRead) or a list
  bool allow_any_host = false;          ///< allowNetwork: true
  std::vector<std::string> allow_hosts; ///< allowNetwork and allowedDomains, together: lists of host patterns
  /// allowRead, allowWrite of the project: paths have to be inside of these too. Nothing: it does not say.
  std::optional<std::vector<std::string>> project_read = {}, project_write = {};
  msg::name_policy tools; ///< allowedTools, deniedTools, confirm: patterns of whole names, `mcp__<server>__<tool>`
  pattern_policy patterns =
    /// DangerousPatterns: block, warn, off; skipDangerousPatternCheck [CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS].
    pattern_policy::block;
  pin_policy pins = pin_policy::warn; ///< pinTools: off, warn, block
};

/// runs, and of security: defaultTimeoutMs, maxTimeoutMs, maxCodeSize.
struct run_settings {
  /// runs.maxConcurrent [POOL_MAX_CONCURRENT] (1..1000).
  uint32_t at_once_max = uint32_t{msg::limits::runs_max};
  /// runs.queueSize [POOL_QUEUE_SIZE] (0..1000).
  uint32_t queued_max = uint32_t{msg::limits::runs_queued_max};
  /// runs.queueTimeoutMs [POOL_QUEUE_TIMEOUT_MS] (1000..300000).
  std::chrono::milliseconds queue_wait_max = msg::limits::run_queue_wait_max;
  /// security.defaultTimeoutMs (1000..300000).
  std::chrono::milliseconds timeout = msg::limits::run_timeout_default;
  /// security.maxTimeoutMs (1000..300000), not below it.
  std::chrono::milliseconds timeout_max = msg::limits::run_timeout_max;
  /// security.maxCodeSize (1000..1048576), in bytes.
  uint32_t code_bytes_max = uint32_t{msg::limits::code_bytes_max};
  uint32_t tool_calls_max = msg::limits::tool_calls_max;            ///< runs.maxToolCalls (1..1000000)
  uint32_t same_failures_max = msg::limits::same_failures_max;      ///< runs.maxSameFailures (1..1000)
  uint64_t held_bytes_max = msg::limits::run_held_bytes_max;        ///< runs.maxHeldMb (64..1048576), in MiB
  std::chrono::milliseconds question_wait = msg::question_wait_max; ///< runs.questionTimeoutMs (1000..600000)
};

/// servers: of all MCP servers; an entry of a server may say otherwise.
struct server_settings {
  /// breaker.failures [CIRCUIT_BREAKER_THRESHOLD] (1..1000).
  uint32_t failures_max = msg::limits::breaker_failures_max;
  std::chrono::milliseconds failure_window = msg::limits::breaker_window; ///< breaker.windowMs (1000..3600000)
  /// breaker.openMs [CIRCUIT_BREAKER_TIMEOUT_MS] (100..3600000).
  std::chrono::milliseconds open_for = msg::limits::breaker_open_for;
  uint32_t starts_per_minute = msg::limits::child_starts_per_minute; ///< startsPerMinute (1..1000): of one server
  /// IdleTimeoutMs (1000..604800000); 0: never stopped for being idle.
  std::chrono::milliseconds idle = msg::limits::child_idle;
  /// StartTimeoutMs (1000..600000): to the end of tools/list.
  std::chrono::milliseconds start = msg::limits::child_handshake_timeout;
  uint32_t running_max = msg::limits::children_running_max; ///< maxRunning (1..10000): at once
  /// MaxConcurrent (1..10000): calls sent to one server at once.
  uint32_t calls_max = msg::limits::child_calls_at_once;
};

/// rateLimit, and with the same keys security.rateLimit.
struct rate_settings {
  bool enabled = false;                  ///< enabled [CODE_EXECUTOR_RATE_LIMIT_RPM sets it, and maxRequests]
  msg::rate_limit runs{30, 60'000};      ///< maxRequests (1..1000000), windowMs (1000..86400000): runs of one client
  msg::rate_limit per_server{0, 60'000}; ///< perServer: {maxRequests, windowMs}: calls of one server
  msg::rate_limit per_tool{0, 60'000};   ///< perTool: {maxRequests, windowMs}: calls of one tool
};

/// audit.
struct audit_settings {
  bool enabled = true; ///< enabled, security.enableAuditLog [ENABLE_AUDIT_LOG]
  /// Path, security.auditLogPath [AUDIT_LOG_PATH]: a file if it ends in .log or .jsonl, else a folder; empty: in the
  /// state folder.
  std::string path;
  uint32_t retention_days = 30; ///< retentionDays (1..3650)
};

/// health: the port for machines that look after us.
struct health_settings {
  uint16_t port = 0;              ///< port [HEALTH_CHECK_PORT] (0..65535); 0: none
  std::string host = "127.0.0.1"; ///< host [HEALTH_CHECK_HOST]
};

/// server: `serve --http`.
struct http_settings {
  std::vector<std::string> allowed_hosts;   ///< allowedHosts: names of it, besides its address and localhost
  std::vector<std::string> allowed_origins; ///< allowedOrigins: of web pages, besides those of this machine
  std::string certificate_file;             ///< tls.cert: PEM, with what leads to a known one; empty: no TLS
  std::string key_file;                     ///< tls.key: PEM, without a passphrase
  std::string issuer;                       ///< oauth.issuer: whose tokens count too; empty: nobody's
  std::string audience;                     ///< oauth.audience: that they have to be for
  uint32_t connections_max = msg::limits::http_connections_max;   ///< maxConnections (1..10000)
  uint32_t streams_max = msg::limits::http_streams_max;           ///< maxStreams (1..1000): of one client
  uint32_t sessions_max = msg::limits::http_sessions_max;         ///< maxSessions (1..10000)
  uint32_t header_bytes_max = msg::limits::http_header_bytes_max; ///< maxHeaderKb (1..64), in KiB
  uint64_t body_bytes_max = msg::limits::http_body_bytes_max;     ///< maxBodyMb (1..16), in MiB
  std::chrono::milliseconds header_time_max = msg::limits::http_header_time_max; ///< headerTimeoutMs (100..600000)
  std::chrono::milliseconds body_time_max = msg::limits::http_body_time_max;     ///< bodyTimeoutMs (100..600000)
  std::chrono::milliseconds idle_max = msg::limits::http_idle_max;               ///< idleSeconds (1..86400)
  /// SessionIdleSeconds (1..604800).
  std::chrono::milliseconds session_idle_max = msg::limits::http_session_idle_max;
};

/// process: the server itself.
struct process_settings {
  uint64_t memory_bytes = msg::limits::process_memory_bytes_max; ///< dataMb (1024..1048576), in MiB
};

/// log.
struct log_settings {
  std::string level;              ///< level [CODE_EXECUTOR_LOG_LEVEL]
  log_form form = log_form::text; ///< format [CODE_EXECUTOR_LOG_FORMAT]: text, json; on stderr
};

/// sandbox.
struct sandbox_settings {
  config::isolation isolation = isolation::automatic; ///< isolation: auto, required
  uint32_t pool_size = msg::limits::pool_guests;      ///< pool.size (0..64): guests kept warm per runtime
  uint32_t pool_max = msg::limits::pool_guests_max;   ///< pool.max (1..64), not below size
  /// pool.idleSeconds (1..86400): then it shrinks to size.
  std::chrono::milliseconds pool_idle = msg::limits::pool_idle;
  uint64_t memory_bytes = msg::limits::guest_memory_bytes_max;     ///< memoryMb (64..1048576), in MiB
  uint32_t processes = uint32_t{msg::limits::guest_processes_max}; ///< processes (16..32768), threads included
  uint64_t temp_bytes = msg::limits::guest_temp_bytes_max;         ///< tempMb (1..1048576), in MiB
};

/// executors.typescript.
struct typescript_settings {
  bool enabled = true; ///< enabled
  std::string deno;    ///< denoPath [DENO_PATH]: path, or command in PATH; empty: look in the usual places
};

/// executors.python.
struct python_settings {
  bool enabled = true; ///< enabled [PYTHON_ENABLED]
  /// PythonPath [PYTHON_PATH]: path, or command in PATH; empty: look.
  std::string python;
  std::string version;                                ///< version, as "3.11"; empty: any
  std::string venv;                                   ///< venv: folder of a virtual environment; empty: none
  std::vector<std::string> preload;                   ///< preload: names of modules
  python_runtime runtime = python_runtime::automatic; ///< runtime: auto, cpython, pyodide, container
};

/// executors.container.
struct container_settings {
  container_tool tool = container_tool::first_found; ///< runtime [MCP_BRIDGE_RUNTIME]: podman, docker
  std::string image;                                 ///< image [MCP_BRIDGE_IMAGE]; empty: the runtime's default
  uint64_t memory_bytes = 512u << 20;                ///< memory [MCP_BRIDGE_MEMORY] (16m..1024g): "512m", "1g" or bytes
  uint32_t processes = 128;                          ///< pids [MCP_BRIDGE_PIDS] (4..32768)
  double cpus = 0;                                   ///< cpus [MCP_BRIDGE_CPUS] (0.01..1024); 0: as many as there are
  std::string user = "65534:65534";                  ///< user [MCP_BRIDGE_CONTAINER_USER]: user, or user:group
};

/// Of the tool run_python.
struct bridge_settings {
  bridge_output output = bridge_output::compact; ///< [MCP_BRIDGE_OUTPUT_MODE]: compact, toon
  /// [MCP_BRIDGE_TIMEOUT] (1s..5m): "30s", "2m" or seconds.
  std::chrono::milliseconds timeout = msg::limits::run_timeout_default;
  std::chrono::milliseconds timeout_max = msg::limits::run_timeout_max; ///< [MCP_BRIDGE_MAX_TIMEOUT] (1s..5m)
};

/// sessions.
struct session_settings {
  std::chrono::milliseconds idle = msg::limits::session_idle; ///< idleSeconds (1..604800): then its state is dropped
  uint32_t count_max = msg::limits::sessions_max;             ///< max (1..1000)
};

/// outputs.
struct output_settings {
  /// TtlSeconds (1..604800): then a handle means nothing any more.
  std::chrono::milliseconds ttl = msg::limits::outputs_ttl;
  /// MaxMb (1..1048576), in MiB: all of them; the oldest go first.
  uint64_t bytes_max = msg::limits::outputs_bytes_max;
  /// MaxCharacters (1000..200000): of one part of a result.
  uint32_t chars_max = uint32_t{msg::limits::model_text_chars_max};
};

/// faults, and of security: allowFaults.
struct fault_settings {
  msg::document plan;  ///< faults: the plan itself; null: there is none, or a file has it
  std::string file;    ///< faults [CODE_EXECUTOR_FAULTS]: of the plan; empty: there is none
  bool of_runs = true; ///< security.allowFaults: a run may bring one for its own calls
};

enum class replay_miss : uint8_t { fail, call };

/// recording.
struct recording_settings {
  std::string file;   ///< file [CODE_EXECUTOR_RECORD]: what is written; empty: nothing is
  std::string replay; ///< replay [CODE_EXECUTOR_REPLAY]: what answers in the place of the servers; empty: they do
  replay_miss on_miss = replay_miss::fail; ///< onMiss [CODE_EXECUTOR_REPLAY_ON_MISS]: fail, call
  bool keeps_pace = false;                 ///< pace [CODE_EXECUTOR_REPLAY_PACE]
};

/// One for each sampling::provider, in the order of the enumeration.
template <class T>
struct by_provider {
  std::array<T, std::size(sampling::all_providers)> items{};
  T& operator[](sampling::provider who) { return items[static_cast<size_t>(who)]; }
  const T& operator[](sampling::provider who) const { return items[static_cast<size_t>(who)]; }
};

/// sampling: programs that ask a model.
struct sampling_settings {
  /// enabled [CODE_EXECUTOR_SAMPLING_ENABLED]: true: all runs; false: none, whichever asks; not given: those that ask
  /// for it.
  std::optional<bool> enabled;
  /// provider [CODE_EXECUTOR_AI_PROVIDER]. Not given: `compatible` if there is a base URL, else the first that has a
  /// key. None: only the client's own model can be asked.
  std::optional<sampling::provider> provider;
  std::string base_url; ///< baseUrl [CODE_EXECUTOR_AI_BASE_URL]: of that provider; empty: its own
  /// ApiKeys.<provider> [sampling::key_variable(), and XAI_API_KEY]; empty: none. Secret.
  by_provider<std::string> keys;
  /// models.<provider> [CODE_EXECUTOR_AI_MODEL: of the one in use]: asked if a program names none.
  by_provider<std::string> models;
  /// AllowedModels [CODE_EXECUTOR_ALLOWED_MODELS, ..._<PROVIDER>]; `models` are in it.
  by_provider<std::vector<std::string>> allowed_models;
  /// MaxRoundsPerExecution [CODE_EXECUTOR_MAX_SAMPLING_ROUNDS] (1..100).
  uint32_t rounds_max = 10;
  /// MaxTokensPerExecution [CODE_EXECUTOR_MAX_SAMPLING_TOKENS] (100..100000).
  uint32_t tokens_max = 10'000;
  uint32_t tool_steps_max = 10; ///< maxToolSteps (1..50): of one ask with tools
  /// TimeoutPerCallMs [CODE_EXECUTOR_SAMPLING_TIMEOUT_MS] (1000..600000).
  std::chrono::milliseconds call_timeout{30'000};
  /// ClientTimeoutMs [CODE_EXECUTOR_SAMPLING_CLIENT_TIMEOUT_MS] (1000..600000).
  std::chrono::milliseconds client_timeout{30'000};
  /// allowedSystemPrompts [CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS]; "", which is none at all, is always in it.
  std::vector<std::string> system_prompts{"", "You are a helpful assistant", "You are a code analysis expert"};
  /// contentFilter.<class>: redact, block, allow; contentFilteringEnabled [CODE_EXECUTOR_CONTENT_FILTERING_ENABLED]
  /// false: allow all.
  content_filter::content_policy filter;
};

struct settings {
  std::string file;                  ///< that they come from; empty: there is none
  std::vector<std::string> searched; ///< the places that were looked at
  std::string project_file;          ///< that narrows them; empty: there is none
  client_settings clients;
  security_settings security;
  sandbox_settings sandbox;
  typescript_settings typescript;
  python_settings python;
  container_settings container;
  bridge_settings bridge;
  session_settings sessions;
  output_settings outputs;
  run_settings runs;
  server_settings servers;
  rate_settings rates;
  audit_settings audit;
  health_settings health;
  http_settings http;
  process_settings process;
  log_settings log;
  sampling_settings sampling;
  fault_settings faults;
  recording_settings recording;
  std::string state_folder; ///< stateDir [CODE_EXECUTOR_STATE_DIR], default ~/.code-executor; empty: there is no HOME
  std::string servers_file; ///< mcpConfigPath [MCP_CONFIG_PATH]; empty: none is named
};

struct settings_reading {
  settings values; ///< if there are problems: only `file` and `searched` mean something
  std::vector<msg::fault> problems;
  std::vector<setting_entry> entries; ///< none if the file could not be read at all
};

/// The first file that exists of: the one that CODE_EXECUTOR_CONFIG_PATH names (it has to exist then),
/// ~/.code-executor.json, ~/.code-executor/config.json, ~/.config/code-executor/config.json. What they say, and the
/// variables after them, is narrowed by ./.code-executor.json, unless CODE_EXECUTOR_CONFIG_PATH says what counts. No
/// file at all is fine. A problem names file, line, column and key, or the variable, and says what is expected.
settings_reading read_settings(const environment& env, const variable_lookup& variable);

/// The same without the details; the fault is the first problem.
msg::outcome<settings> load_settings(const environment& env, const variable_lookup& variable);

/// All settings that there are, with their defaults.
std::vector<setting_entry> declared_settings();

} // namespace config
