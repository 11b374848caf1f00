// A regular expression compiled by PCRE2, and matched within bounds.
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8

#include "budget.hpp"
#include "json_schema/options.hpp"

#include <memory>
#include <pcre2.h>
#include <string>
#include <string_view>

namespace json_schema {

/// Memory that matching needs; one per validation, because matching writes into it.
class match_space {
public:
  explicit match_space(const validate_limits& limits) : limits_(limits) {}

private:
  friend class pattern;
  /// Null when there is no memory.
  pcre2_match_context* context();
  const validate_limits& limits_;
  std::unique_ptr<pcre2_match_context, void (*)(pcre2_match_context*)> context_{nullptr, pcre2_match_context_free};
  std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data_{nullptr, pcre2_match_data_free};
};

/// Immutable once compiled.
class pattern {
public:
  /// The problem; empty when it was compiled.
  std::string compile(std::string_view ecma);

  /// Found anywhere in the text. Stops the budget when the match takes too long, and pays for what it took.
  bool matches(std::string_view text, match_space& space, budget& steps) const;

  size_t memory_bytes() const;

private:
  std::unique_ptr<pcre2_code, void (*)(pcre2_code*)> code_{nullptr, pcre2_code_free};
};

} // namespace json_schema
