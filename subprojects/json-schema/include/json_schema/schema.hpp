// JSON Schema, draft-07 and 2020-12: compile once, validate many.
#pragma once

#include "json_schema/error.hpp"
#include "json_schema/options.hpp"

#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

namespace json_schema {

struct program;

/// Mistakes of a schema that are kept to be told.
inline constexpr size_t ignored_max = 16;

struct result {
  bool valid = false;
  /// A limit ended the validation before it was decided: `valid` is false, and the only error names the limit. (An
  /// instance that is known to be invalid may have that error as its last, too.)
  bool undecided = false;
  std::vector<error> errors; ///< empty when valid
};

/// Immutable, and cheap to copy. All functions may be called from several threads at once.
class schema {
public:
  explicit schema(std::shared_ptr<const program> compiled);

  /// Errors are looked for only when the instance is not valid.
  result validate(const boost::json::value& instance, const validate_limits& limits = {}) const;

  /// Without errors. False also when a limit was met.
  bool is_valid(const boost::json::value& instance, const validate_limits& limits = {}) const;

  /// What of the schema is ignored, and why; the first `ignored_max` of them. Empty unless mistakes are ignored.
  const std::vector<compile_error>& ignored() const;

  /// What it keeps, about; never more than `compile_limits::memory_bytes`.
  size_t memory_bytes() const;

private:
  std::shared_ptr<const program> program_;
};

/// Throws nothing but std::bad_alloc, and what the resolver throws. The document is kept; a storage of its own is
/// copied to the default one.
std::variant<schema, compile_error> compile(boost::json::value document, const compile_options& options = {});

} // namespace json_schema
