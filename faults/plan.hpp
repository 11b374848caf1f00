// A plan: which calls are hit by which faults. docs/faults.md describes it for users.
#pragma once

#include "faults/kind.hpp"
#include "messages/document.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// Whether the server has carried out what is answered with a fault.
enum class effect : uint8_t { none, done };
/// Which of the two messages of a call; of `truncate` the whole one, or only the texts in its result.
enum class part : uint8_t { request, answer, message, text };
/// How a refusal comes.
enum class form : uint8_t { error, result };

struct rule {
  std::vector<std::string> match; ///< patterns of whole names; `*`: any run of characters
  kind what = kind::latency;
  moment when = moment::call;

  // ---- which of those that match
  double probability = 1;
  uint64_t nth = 0;   ///< only that one, from 1; 0: any
  uint64_t every = 0; ///< every so manieth; 0: any
  uint64_t after = 0; ///< so many are left alone first
  uint64_t times = 0; ///< so many are hit at most, of each tool; 0: any number

  // ---- what happens; each kind uses some
  effect landed = effect::none;
  part which = part::answer;
  form as = form::error;
  std::chrono::milliseconds lasts{0}; ///< `ms`
  std::chrono::milliseconds p50{0}, p99{0};
  int64_t code = -32603; ///< internal error, as JSON-RPC has it
  std::string message;
  std::string text;
  double keep = 0.5;
  uint64_t bytes = uint64_t{1} << 20;
  uint64_t bytes_per_second = 1024;
  std::chrono::milliseconds retry_after{1'000};
  std::string scope;       ///< that a login has not
  std::string parameter;   ///< empty: the first that is required
  std::string tool;        ///< of the canary, whole name; on a list the raw name of the one that changes
  msg::document arguments; ///< of the canary
};

struct plan {
  uint64_t seed = 0;
  std::vector<rule> rules;
};

// ---- bounds of what a plan may say
inline constexpr size_t rules_max = 1'000;
inline constexpr size_t patterns_max = 100, pattern_bytes_max = 512; ///< of one rule
inline constexpr std::chrono::milliseconds delay_max{600'000};       ///< as long as any call may take
inline constexpr uint64_t added_bytes_max = uint64_t{16} << 20;      ///< what a line of a server may hold
inline constexpr size_t text_bytes_max = 64u << 10;

struct plan_reading {
  faults::plan plan;
  /// What is wrong, if anything: the part of the document ("rules[2].kind"; empty: the whole), and what about it.
  std::string part, problem;
  bool ok() const { return problem.empty(); }
  /// As one line.
  std::string told() const { return part.empty() ? problem : part + ": " + problem; }
};

/// Never takes what it does not understand: a fault that is left out in silence would be one that was survived.
plan_reading read_plan(const msg::document& text);

} // namespace faults
