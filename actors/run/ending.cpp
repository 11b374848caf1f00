#include "actors/run/ending.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <csignal>
#include <cstring>
#include <utility>

namespace actors::run {

namespace limits = msg::limits;
using msg::errc;
using msg::run_status;

namespace {

constexpr const char* lost_in_frame = "; what it was sending then (a call, a result or what it displayed) is lost";

std::string memory_limit(const msg::guest_exit& how) {
  auto mib = how.memory_mib_max > 0 ? how.memory_mib_max : limits::guest_memory_bytes_max >> 20;
  return "memory limit of " + std::to_string(mib) + " MiB (sandbox.memoryMb)";
}

std::string signal_text(int signal) {
  auto* name = ::sigabbrev_np(signal);
  return (name ? "SIG" + std::string{name} : "signal " + std::to_string(signal)) + " (" + ::strsignal(signal) + ")";
}

/// What the signal says of itself; of a lack of memory only where that is how it ends: V8 traps, allocators of
/// libraries abort, and SIGKILL comes where no cgroup or watch counts a whole guest's memory.
std::string cause_text(int signal, const msg::guest_exit& how) {
  auto limit = memory_limit(how);
  switch (signal) {
    case SIGABRT:
      return ": it, or a library in it, has called abort(); some do that where the " + limit + " leaves them no memory";
    case SIGSEGV:
    case SIGBUS:
      return ": a library in it, such as one that is called by ctypes, has used memory that it does not have";
    case SIGFPE: return ": a library in it has divided by zero";
    case SIGTRAP:
    case SIGILL: break;
    case SIGKILL:
      if (how.memory_mib_max == 0)
        break;
      return {};
    default: return {};
  }
  return "; that is how it looks when the " + limit + " is reached";
}

/// bubblewrap passes an exit code on, and a signal as 128 + number. What the limit of one process does (RLIMIT_DATA: an
/// allocation fails) can only be guessed from how the interpreter takes it.
std::string death_text(const msg::guest_exit& how) {
  auto signal = how.by_signal ? how.code : how.code > 128 && how.code < 128 + NSIG ? how.code - 128 : 0;
  if (signal == 0 && how.ran_before)
    return "the process of the session ended with exit code " + std::to_string(how.code)
           + " before the program was done: the program has ended it, or what a run before has left over";
  if (signal == 0)
    return "the program ended its process with exit code " + std::to_string(how.code) + " before it was done";
  return "the program's process was ended by " + signal_text(signal) + cause_text(signal, how);
}

/// Of a process that ran no program yet.
std::string start_death_text(const msg::guest_exit& how) {
  if (how.out_of_memory)
    return "it was ended before it was ready: " + memory_limit(how) + " reached";
  auto code = std::to_string(how.code);
  return how.by_signal ? "it was ended by signal " + code + " (" + ::strsignal(how.code) + ") before it was ready"
                       : "it ended with exit code " + code + " before it was ready";
}

} // namespace

msg::program_error reason(errc code, std::string message) {
  msg::program_error e;
  e.code = code;
  e.message = std::move(message);
  return e;
}

ending failure(errc code, std::string message) { return {run_status::error, reason(code, std::move(message)), 1}; }

ending ending_of(proxy::guest_done& done) {
  if (!done.failed)
    return {run_status::success, {}, 0};
  if (done.error.name.empty())
    done.error.name = "Error";
  return {run_status::error, std::move(done.error), done.exit_code};
}

ending ending_of(const msg::guest_exit& how) {
  if (how.out_of_memory && how.was_ready)
    return {run_status::error, reason(errc::limit_exceeded, "the program was ended: " + memory_limit(how) + " reached"),
            how.code};
  if (!how.problem.empty() && how.was_ready)
    return failure(how.cause != errc::none ? how.cause : errc::guest_protocol, "the program's process " + how.problem);
  if (!how.problem.empty())
    return failure(how.cause != errc::none ? how.cause : errc::runtime_missing, how.problem);
  if (!how.was_ready)
    return {run_status::error, reason(errc::runtime_missing, start_death_text(how)), how.code, true};
  // The program ended its own process, and meant it well. In a session that may have been one before it.
  if (!how.by_signal && how.code == 0 && how.has_begun && !how.ran_before && !how.in_frame)
    return {run_status::success, {}, 0};
  auto why = death_text(how) + (how.in_frame ? lost_in_frame : "");
  return {run_status::error, reason(errc::guest_died, std::move(why)), how.code != 0 ? how.code : 1};
}

uint64_t memory_bytes_of(const msg::guest_exit& how) {
  return how.out_of_memory ? uint64_t{how.memory_mib_max} << 20 : 0;
}

msg::program_error start_failure(msg::language lang, const std::string& diagnostics, const std::string& end) {
  auto text = "the sandbox could not start a " + std::string{to_string(lang)} + " guest: ";
  return reason(errc::runtime_missing,
                text + (diagnostics.empty() ? end : text::quoted(diagnostics, limits::child_quote_bytes_max)));
}

} // namespace actors::run
