// Numbers and booleans that a program gave as text, and nulls for what it did not want to give. Models do so, and many
// servers take them.
#pragma once

#include "json_schema/error.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace proxy {

/// At most so many of one call are read.
inline constexpr size_t text_arguments_max = 16;

struct read_arguments {
  boost::json::value value; ///< with the scalars in place of their texts
  std::string note;         ///< which, in one sentence
};

/// What `given` may have meant where `errors` complain and a text stands that is a JSON number or boolean. A number is
/// read only as exactly what the text says: whole as 64 bits hold it, else with at most 17 digits, all of which the
/// double has. A null of an object is left out: 2026-07-28 has it as not given (SEP-2243). Nothing: there is no such
/// place. Whether the tool takes the value is for the caller to see.
std::optional<read_arguments> read_texts(const boost::json::value& given,
                                         const std::vector<json_schema::error>& errors);

} // namespace proxy
