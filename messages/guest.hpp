// A sandboxed guest process, as its execution sees it.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"
#include "messages/run.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace msg {

/// How a guest process ended.
struct guest_exit {
  bool by_signal = false;
  int32_t code = 0; ///< exit code, or the signal's number
  /// Why it was ended from this side (broken frame, start failed); empty: it ended by itself.
  std::string problem;
  errc cause = errc::none;     ///< of the problem, where it is not for the listener to judge
  bool was_ready = false;      ///< it had announced itself: what happened then is the program's doing
  bool has_begun = false;      ///< the program of its listener, as far as is known for certain
  bool ran_before = false;     ///< another program: what that has left over may have ended it
  bool in_frame = false;       ///< its channel ended within a frame
  bool out_of_memory = false;  ///< the limit on its memory was reached: known, not guessed
  uint32_t memory_mib_max = 0; ///< that limit; 0: no cgroup and no watch counts against it
  auto fields() {
    return std::tie(by_signal, code, problem, cause, was_ready, has_begun, ran_before, in_frame, out_of_memory,
                    memory_mib_max);
  }
};

struct guest_output {
  captured_text output;
  captured_text diagnostics;
  auto fields() { return std::tie(output, diagnostics); }
};

/// What a guest is told to run.
struct guest_program {
  std::string code;
  bool keep = false;           ///< its names stay for the next program of the same guest
  uint64_t run = 0;            ///< that it belongs to
  uint64_t held_bytes_max = 0; ///< that this process may hold for the run; 0: any
  auto fields() { return std::tie(code, keep, run, held_bytes_max); }
};

/// Which guest a run needs.
struct guest_request {
  language lang = language::typescript;
  permissions granted;
  std::string session; ///< empty: a guest for this run only
  bool reset_session = false;
  std::string owner = {}; ///< of the session
  auto fields() { return std::tie(lang, granted, session, reset_session, owner); }
};

/// Clients may use the same names, and each means its own session.
struct session_key {
  language lang = language::typescript;
  std::string owner;
  std::string name;
  auto operator<=>(const session_key&) const = default;
  auto fields() { return std::tie(lang, owner, name); }
};
inline session_key session_of(const run_request& run) { return {run.lang, run.owner, run.session}; }

/// How far a guest that waits for its run has come.
enum class guest_phase : uint8_t { starting, ready, warm };

struct pool_status {
  language lang = language::typescript;
  uint32_t waiting = 0; ///< guests without a run
  uint32_t warm = 0;    ///< those of them that have run the dummy program
  uint32_t target = 0;  ///< how many are kept waiting at present
  uint64_t served_warm = 0;
  uint64_t served_cold = 0;
  /// Of the process that forks its guests: `ready`, or what there is instead; empty: each is started for itself.
  std::string guest_template;
  auto fields() { return std::tie(lang, waiting, warm, target, served_warm, served_cold, guest_template); }
};

struct session_status {
  language lang = language::typescript;
  std::string name;
  bool busy = false;
  uint32_t queued = 0;
  std::string owner = {};
  auto fields() { return std::tie(lang, name, busy, queued, owner); }
};

using session_list = std::vector<session_status>;

} // namespace msg
