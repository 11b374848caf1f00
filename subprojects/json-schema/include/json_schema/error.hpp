// What is wrong, for people and models.
#pragma once

#include <string>
#include <vector>

namespace json_schema {

/// Why an instance is not valid. All texts are UTF-8 when schema and instance are.
struct error {
  std::string instance_path; ///< JSON pointer into the instance; "" is the whole
  /// URI fragment of the keyword that failed, after the `$id` of its resource if it is not the first.
  std::string schema_path;
  std::string keyword;  ///< empty for the schema `false`, and when a limit ended the validation
  std::string expected; ///< "an integer", "at most 10", "one of \"a\", \"b\""
  std::string given;    ///< the instance there, shortened; empty if it is of no interest
  std::string hint;     ///< "did you mean 'path'?"; may be empty
  /// Names that are missing (`required`, a few of them), or the one that should not be there (`additionalProperties`).
  std::vector<std::string> names;
  std::string meant; ///< the name or value that was probably meant; for a missing name: the one that was given instead
  /// One line: "/depth: expected an integer, given \"two\""
  std::string text() const;
};

/// Why there is no compiled schema.
struct compile_error {
  std::string schema_path; ///< as in `error`
  std::string message;
};

} // namespace json_schema
