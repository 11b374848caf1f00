// What the record says of tools: how often they were called, how long that took, and how it ended.
#pragma once

#include "audit/place.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/// Durations of a tool that are kept, the first: more change no percentile much.
inline constexpr size_t durations_max = 100'000;
/// Tools that are told apart; names come from programs.
inline constexpr size_t used_tools_max = 100'000;

struct tool_usage {
  uint64_t calls = 0, failures = 0;
  uint64_t invalid = 0;       ///< refused, as the arguments do not fit the schema
  std::vector<float> took_ms; ///< of those that succeeded

  void add(const tool_usage& other);
  /// The nearest rank, 0 to 1. Nothing: none has succeeded.
  std::optional<double> percentile_ms(double rank) const;
};

struct usage_record {
  bool exists = false; ///< there are files, so what is not in them was not called
  std::string since;   ///< timestamp of the first line that counts; empty: there is none
  std::map<std::pair<std::string, std::string>, tool_usage> tools; ///< by server and raw name
};

/// Reads all files of the record that are kept.
usage_record read_usage(const audit::place& where);

} // namespace cli
