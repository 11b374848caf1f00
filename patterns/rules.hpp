// The rules: what of a program is dangerous, per language.
#pragma once

#include "patterns/token.hpp"

#include <cstdint>
#include <vector>

namespace patterns {

struct rule {
  const char* name;
  const char* why; ///< goes on after the name and a colon
};

/// Where one is broken.
struct finding {
  const rule* broken;
  uint32_t begin; ///< in the source
  uint32_t end;
};

/// At most so many are told of one program.
inline constexpr size_t findings_max = 20;

std::vector<finding> typescript_findings(const token_list& list);
std::vector<finding> python_findings(const token_list& list);

} // namespace patterns
