// TOON to JSON values.
#pragma once

#include "toon/options.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace toon {

/// Where decoding ended.
struct decode_problem {
  std::string what;  ///< what was expected, and what was found instead; valid UTF-8; empty: no problem
  size_t line = 0;   ///< from 1
  size_t column = 0; ///< in bytes, from 1

  /// "line 3, column 5: expected ..."
  std::string text() const;
};

struct decoded {
  boost::json::value value; ///< null when there is a problem
  decode_problem problem;

  bool ok() const { return problem.what.empty(); }
};

/// Numbers: what is an integer is int64, or uint64 when it is beyond that (also `1.0`, `1e6` and `-0`), all others the
/// nearest double. A number that no double can hold (1e999) stays the text that it is. Bytes that are no UTF-8 are a
/// problem in any mode. Of lines that belong to nothing, none is skipped in any mode.
decoded decode(std::string_view text, const decode_options& options = {}, boost::json::storage_ptr storage = {});

} // namespace toon
