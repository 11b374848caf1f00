// What a value looks like, in one line for a model: `{items: Array(12034) of {id: number, name: string, tags?:
// Array(0..7) of string}}`.
#pragma once

#include <string>

namespace boost::json {
class value;
}

namespace artifacts {

/// At most `shape_bytes_max` long. Looks at a bounded number of places: what is said of the types in a long list or a
/// large object holds for the parts that were looked at. The size of every list and table that is named is exact, or a
/// range of those looked at. Of long texts the bytes are told.
std::string shape_of(const boost::json::value& value);

} // namespace artifacts
