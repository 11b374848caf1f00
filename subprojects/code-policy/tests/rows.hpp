// Rows of programs and what is to be found in them.
#pragma once

#include "code_policy/violations.hpp"

#include <gtest/gtest.h>

#include <string>

namespace test {

struct row {
  const char* code;
  const char* expected; ///< "RULE LINE:COLUMN", separated by ", "; empty: nothing
};

inline std::string found_in(code_policy::language language, std::string_view code) {
  std::string out;
  for (auto& d : code_policy::find_violations(language, code))
    out +=
      (out.empty() ? "" : ", ") + std::string{d.rule} + " " + std::to_string(d.line) + ":" + std::to_string(d.column);
  return out;
}

template <size_t N>
void expect_rows(code_policy::language language, const row (&rows)[N]) {
  for (auto& r : rows)
    EXPECT_EQ(found_in(language, r.code), r.expected) << r.code;
}

} // namespace test
