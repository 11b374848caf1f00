// What can go wrong, as values. A fault says what happened, where, and what to do next.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace msg {

/// The names are part of the guest API (`MCPError.code`).
enum class errc : uint8_t {
  none,
  invalid_argument,    ///< a parameter is missing, of the wrong type or out of range
  unknown_server,      ///< no server of that name is configured
  unknown_tool,        ///< the server has no such tool
  not_allowed,         ///< the allowlist of the run does not permit it
  tool_failed,         ///< the child answered with isError or a JSON-RPC error
  server_start_failed, ///< the child could not be started or did not finish its handshake
  server_died,         ///< the child ended with the call in flight
  server_unavailable,  ///< the child failed a moment ago; see retry_after_ms
  protocol_violation,  ///< the child sent what is not JSON-RPC
  call_timeout,        ///< the child did not answer in time
  run_timeout,         ///< the run's own time is over
  cancelled,           ///< the client cancelled, or went away
  rate_limited,        ///< too many in a short time; see retry_after_ms
  needs_approval,      ///< the server's entry is of a file of the project, and the user has not approved it
  not_approved,        ///< the person at the client was to be asked for the call (security.confirm), and has not agreed
  needs_login,         ///< the server wants to know who asks, and there is no login, or none that it takes
  tool_changed,        ///< the tool is not what was approved; `code-executor trust` approves it
  dangerous_code,      ///< the program uses what the policy forbids
  model_failed,        ///< the model, its provider or the client that has it answered with an error, or not at all
  overloaded,          ///< a queue is full; trying again later helps
  limit_exceeded,      ///< a limit was reached; the message names it
  unknown_handle,      ///< no output of that name is kept, or not any more
  runtime_missing,     ///< this machine lacks what the language needs
  guest_died,          ///< the guest ended without an end frame
  guest_protocol,      ///< the guest broke the frame protocol
  shutting_down,
  internal,
};

std::string_view to_string(errc code);

struct fault {
  errc code = errc::none;
  std::string message; ///< a whole sentence
  std::string server;  ///< empty: none in particular
  std::string tool;
  std::vector<std::string> suggestions; ///< nearest names, nearest first
  uint32_t retry_after_ms = 0;          ///< 0: not known

  fault() = default;
  fault(errc c, std::string text) : code(c), message(std::move(text)) {}
  fault at(std::string server_name, std::string tool_name = {}) && {
    server = std::move(server_name);
    tool = std::move(tool_name);
    return std::move(*this);
  }
  auto fields() { return std::tie(code, message, server, tool, suggestions, retry_after_ms); }
};

/// A value or a fault; exactly one of them counts.
template <class T>
struct [[nodiscard]] outcome {
  fault error;
  T value{};

  outcome() = default;
  outcome(T x) : value(std::move(x)) {}
  outcome(fault f) : error(std::move(f)) {}
  bool ok() const { return error.code == errc::none; }
  auto fields() { return std::tie(error, value); }
};

} // namespace msg
