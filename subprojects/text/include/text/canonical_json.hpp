// JSON as text that is the same for values that are equal: for what is looked up or told apart by its value.
#pragma once

#include <string>

namespace boost::json {
class value;
}

namespace text {

/// Members in the order of their names, whole numbers without a fraction (1.0 as 1, up to 2^53): it is no JSON itself,
/// and nobody reads it.
std::string canonical_json(const boost::json::value& value);

} // namespace text
