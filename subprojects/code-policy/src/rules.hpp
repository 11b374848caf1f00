// The rules: what of a program is dangerous, per language.
#pragma once

#include "code_policy/violations.hpp"
#include "token.hpp"

#include <cstdint>
#include <vector>

namespace code_policy {

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

std::vector<finding> typescript_findings(const token_list& list);
std::vector<finding> python_findings(const token_list& list);

} // namespace code_policy
