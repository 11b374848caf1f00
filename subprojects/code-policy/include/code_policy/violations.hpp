// Dangerous patterns: what programs written by a model should not need, found before they run.
//
// This is no wall. Who wants to can write the same so that it is not found; the sandbox is what holds programs. It
// keeps honest programs from what is hardly ever meant well (text that is run as code, processes), and says how to
// write it otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace code_policy {

enum class language : uint8_t { typescript, python };

struct violation {
  const char* rule;
  const char* why;
  std::string found;   ///< the beginning of what was matched; UTF-8
  uint32_t line = 0;   ///< in the program, from 1
  uint32_t column = 0; ///< from 1, in characters
};

/// At most so many are told of one program.
inline constexpr size_t findings_max = 20;

/// In the order of the program; at most findings_max. Linear in time; 20 bytes of memory per byte of code at most.
std::vector<violation> find_violations(language language, std::string_view code);

/// One line: "eval at 3:5: `eval(x)` runs text as code"
std::string describe(const violation& d);
/// All of them: some lines, and how many more there are.
std::string describe(const std::vector<violation>& found);

} // namespace code_policy
