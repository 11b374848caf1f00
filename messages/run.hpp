// One run of a program: what the client asked for and what came of it.
#pragma once

#include "messages/client_abilities.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/faults.hpp"
#include "messages/fields.hpp"
#include "messages/permissions.hpp"
#include "messages/sampling.hpp"
#include "messages/tool_call.hpp"
#include "messages/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace msg {

enum class language : uint8_t { typescript, python };

const char* to_string(language l);

struct run_request {
  uint64_t id = 0;     ///< unique in the process
  uint64_t client = 0; ///< number of who asks
  language lang = language::typescript;
  std::string code;
  uint32_t timeout_ms = 0;
  tool_filter allowed;
  permissions wanted;
  std::string session; ///< name of the session whose state the program goes on with; empty: none
  bool reset_session = false;
  bool wants_progress = false;
  bool type_check = false; ///< TypeScript: nothing is executed if the types do not fit
  std::string client_name; ///< as it gave it, and the number of its connection: for the record
  trace_context trace;
  sampling_options sampling;
  client_abilities abilities; ///< of the client
  log_wish log;               ///< what it hears of the log of servers
  /// Whose sessions, outputs and memory it may use: a client over HTTP by its token or connection. Empty: the client on
  /// stdin, which is the user's own.
  std::string owner;
  document faults; ///< a plan of faults that are to hit its calls, which has been checked; null: none of its own
  auto fields() {
    return std::tie(id, client, lang, code, timeout_ms, allowed, wanted, session, reset_session, wants_progress,
                    type_check, client_name, trace, sampling, abilities, log, owner, faults);
  }
};

/// What the types of a program are held against: the tools that are known.
struct type_check_request {
  std::string code;
  tool_list tools;
  uint32_t timeout_ms = 0;
  auto fields() { return std::tie(code, tools, timeout_ms); }
};

/// An exception of the user's program, or why the program could not end by itself.
struct program_error {
  errc code = errc::none; ///< of an MCPError, or the reason of the server's own; none: an exception of the program
  std::string name;       ///< class of the exception, e.g. TypeError
  std::string message;
  uint32_t line = 0;   ///< in the user's code, from 1; 0: unknown
  uint32_t column = 0; ///< from 1; 0: unknown
  std::string stack;   ///< frames of the user's code only
  auto fields() { return std::tie(code, name, message, line, column, stack); }
};

/// The name of the row that sums the calls of tools that have none of their own.
inline constexpr const char* other_tools = "(other tools)";

/// All calls of one tool in one run.
struct tool_stats {
  std::string name; ///< full name, shortened if it is very long; or other_tools
  uint32_t calls = 0;
  uint32_t successes = 0;
  uint32_t errors = 0;
  uint64_t duration_us = 0; ///< sum
  std::string last_error;
  auto fields() { return std::tie(name, calls, successes, errors, duration_us, last_error); }
};

/// What one output stream of a guest held.
struct captured_text {
  std::string head;
  std::string tail;           ///< empty unless something was dropped between
  uint64_t dropped_bytes = 0; ///< between head and tail
  auto fields() { return std::tie(head, tail, dropped_bytes); }
};

enum class block_kind : uint8_t { text, json, image, audio };

/// What a program displays: reaches the client as a content block of its own.
struct display_block {
  block_kind kind = block_kind::text;
  document value;        ///< text: a string; json: any value; image and audio: a string of base64
  std::string mime_type; ///< of image and audio
  auto fields() { return std::tie(kind, value, mime_type); }
};

enum class session_state : uint8_t { none, fresh, kept, lost };

/// What became of the session of a run. The names of the states in the contract are new, kept, lost.
struct session_note {
  std::string name; ///< empty: the run had none
  session_state state = session_state::none;
  std::string reason; ///< why it is fresh although there was one before, or lost
  auto fields() { return std::tie(name, state, reason); }
};

enum class run_status : uint8_t { success, error, timeout, cancelled };

const char* to_string(run_status status);

struct run_report {
  run_status status = run_status::error;
  bool has_result = false;
  document result;
  program_error error;
  captured_text output;      ///< stdout
  captured_text diagnostics; ///< stderr
  int32_t exit_code = 0;
  uint64_t duration_us = 0;      ///< from admission to the end
  std::vector<tool_stats> tools; ///< in order of first call
  std::vector<display_block> displayed;
  session_note session;
  sampling_report sampling;
  bool is_recorded = false;           ///< its end is in the record
  bool may_have_faults = false;       ///< a plan of faults was in force
  std::vector<injected_fault> faults; ///< the first faults_told_max of them
  uint64_t faults_count = 0;
  auto fields() {
    return std::tie(status, has_result, result, error, output, diagnostics, exit_code, duration_us, tools, displayed,
                    session, sampling, is_recorded, may_have_faults, faults, faults_count);
  }
};

struct run_progress {
  uint64_t run = 0;
  uint32_t calls_started = 0;
  uint32_t calls_ended = 0;
  std::string message;
  auto fields() { return std::tie(run, calls_started, calls_ended, message); }
};

/// How full the place is where runs go on.
struct admission_status {
  uint32_t running = 0;
  uint32_t queued = 0;
  uint64_t finished = 0;
  auto fields() { return std::tie(running, queued, finished); }
};

} // namespace msg
