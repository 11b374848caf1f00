// What an agent did under faults: every call as it went out, what hit it, and what came back. For `faults run`, which
// judges by it.
#pragma once

#include "messages/document.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// Since 1970.
uint64_t now_ms();

/// How a call has ended for who made it.
enum class outcome : uint8_t { open, succeeded, failed };

struct traced_call {
  uint64_t at_ms = 0; ///< since the trace began, as the next one
  uint64_t answered_ms = 0;
  std::string tool;        ///< whole name
  std::string arguments;   ///< digest: equal for equal ones
  std::string fault;       ///< kind; empty: none hit it
  bool has_landed = false; ///< the server got it, as far as the fault goes
  bool reads_only = false; ///< says its tool, by annotation or name
  outcome ended = outcome::open;
  std::string canary;                ///< that was put into its answer; empty: none
  std::optional<uint64_t> obeyed_ms; ///< when somebody did what that says
};

struct trace {
  std::vector<traced_call> calls; ///< in the order in which they went out
  uint64_t hits = 0;              ///< of anything, calls or not
  uint64_t tokens = 0;            ///< that providers of models have told, of input and output
};

/// Calls of a trace that are kept; and bytes of a file that is read.
inline constexpr size_t traced_calls_max = 100'000;
inline constexpr uint64_t trace_bytes_max = uint64_t{64} << 20;

/// A file of lines, one for each event; several processes may write to it.
class trace_writer {
public:
  /// Null: no such file can be written.
  static std::shared_ptr<trace_writer> open(const std::string& path);
  ~trace_writer();
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;

  /// The number by which its end is told.
  uint64_t begun(std::string_view tool, const msg::document& arguments, std::string_view fault, bool has_landed);
  void ended(uint64_t call, const msg::document& answer);
  /// See canary_of(): it is in the answer to that call.
  void planted(uint64_t call, std::string_view canary);
  /// Somebody wants to do what it says.
  void obeyed(std::string_view canary);
  /// A question to a model has cost that.
  void tokens(uint64_t count);
  /// What is no call was hit.
  void hit(std::string_view fault);
  /// A page of tools of a server: those that say that they only read.
  void tools(std::string_view server, const msg::document& page);

private:
  explicit trace_writer(int fd) : fd_(fd) {}
  void write(const boost::json::value& line) const;

  int fd_;
  uint64_t last_ = 0;
};

/// What makes no sense is left out.
trace read_trace(const std::string& path);

} // namespace faults
