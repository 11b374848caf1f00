// Faults on purpose, as actors speak of them. What they are and who is hit is decided in faults/.
#pragma once

#include "messages/fields.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// A call that a rule of a plan has hit.
struct injected_fault {
  call_key key;
  std::string tool;    ///< whole name, `mcp__<server>__<tool>`
  uint64_t number = 0; ///< of the call among those of that tool that the plan has seen, from 1
  std::string kind;
  auto fields() { return std::tie(key, tool, number, kind); }
};

/// Of one run; of more only the number is told.
inline constexpr size_t faults_told_max = 100;

} // namespace msg
