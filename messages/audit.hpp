// What the record says of: one event is one line of it. Programs and arguments are kept only as digests.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace msg {

enum class audit_kind : uint8_t {
  run_begun,     ///< a run has a guest and begins
  run,           ///< a run has ended
  call_open,     ///< a call of a run has been open for a while
  tool_call,     ///< a call of a run has ended
  refusal,       ///< policy, a limit or a pattern did not permit something
  sampling_call, ///< a program has asked a model
  question,      ///< the client was asked something in the middle of a run, and has answered or not
  connection,    ///< a guest has connected to a host, or was refused
  server_state,  ///< a child server has come to another state
  configuration, ///< settings or servers have changed
  lost,          ///< events that are missing from here; written by the record itself
};

const char* to_string(audit_kind kind);

/// Empty strings, lists and null documents are not written.
struct audit_event {
  audit_kind kind = audit_kind::run;
  /// Whether something has come to its end: else there is no success and no failure yet.
  bool is_over() const { return kind != audit_kind::run_begun && kind != audit_kind::call_open; }
  std::chrono::system_clock::time_point when = std::chrono::system_clock::now();
  uint64_t run = 0;     ///< 0: of no run. Ties everything that a run does to it
  std::string client;   ///< name of the client, as it gave it, and number of its connection
  std::string trace;    ///< id of the trace that the run belongs to
  std::string executor; ///< typescript, python
  std::string code;     ///< only its digest and length are written
  std::vector<std::string> allowed_tools;
  std::vector<std::string> tools_called;
  std::vector<std::string> faults; ///< that were injected: kind, tool and number of each
  std::string server;
  std::string tool;
  document arguments;           ///< only their digest is written
  std::string arguments_digest; ///< instead of them, where they were too large to be kept
  std::string host;             ///< of a connection, with the port
  std::string route;            ///< of a question to a model: "client", or the provider
  std::string model;
  std::string prompt;  ///< only its digest is written
  std::string answer;  ///< the same
  uint64_t tokens = 0; ///< input and output
  std::string state;   ///< that a server has come to, how a run or a connection ended, or what changed
  uint64_t duration_us = 0;
  uint64_t memory_bytes = 0; ///< 0: not known
  bool success = true;
  std::string error; ///< without arguments and code; what looks like a secret is taken out when it is written
  auto fields() {
    return std::tie(kind, when, run, client, trace, executor, code, allowed_tools, tools_called, faults, server, tool,
                    arguments, arguments_digest, host, route, model, prompt, answer, tokens, state, duration_us,
                    memory_bytes, success, error);
  }
};

/// What was told to the record, whether it could be written or not.
struct audit_counts {
  uint64_t runs_succeeded = 0;
  uint64_t runs_failed = 0;
  uint64_t runs_timed_out = 0;
  uint64_t runs_cancelled = 0;
  uint64_t calls_succeeded = 0;
  uint64_t calls_failed = 0;
  uint64_t questions_answered = 0; ///< to models
  uint64_t questions_failed = 0;
  uint64_t model_tokens = 0; ///< input and output of both
  uint64_t refusals = 0;
  uint64_t connections_allowed = 0;
  uint64_t connections_refused = 0;
  auto fields() {
    return std::tie(runs_succeeded, runs_failed, runs_timed_out, runs_cancelled, calls_succeeded, calls_failed,
                    questions_answered, questions_failed, model_tokens, refusals, connections_allowed,
                    connections_refused);
  }
};

/// How the record is.
struct audit_status {
  bool enabled = false;
  std::string folder;   ///< or the one file
  uint64_t written = 0; ///< lines, by this process
  uint64_t lost = 0;    ///< events that could not be written, or came while the queue was full
  uint32_t waiting = 0;
  std::string last_error; ///< empty: the last write succeeded
  audit_counts counts;
  auto fields() { return std::tie(enabled, folder, written, lost, waiting, last_error, counts); }
};

} // namespace msg
