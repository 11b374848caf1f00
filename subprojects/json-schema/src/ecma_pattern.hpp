// Regular expressions of ECMA-262 (with the flag `u`), checked and translated for PCRE2.
#pragma once

#include <string>
#include <string_view>

namespace json_schema {

struct ecma_pattern {
  std::string pcre;    ///< empty when there is a problem
  std::string problem; ///< what is wrong, and where; empty: it is a regular expression
};

/// As ECMA-262 says, and lenient where its annex B is and people rely on it: escaped punctuation, and braces and
/// closing brackets that stand for themselves. The translation may still be too much for PCRE2: see `pattern`.
ecma_pattern translate(std::string_view ecma);

} // namespace json_schema
