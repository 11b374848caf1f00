// A parameter that was given under another name: by meaning, or as the only one that can be meant. Names that are
// spelled nearly right are told by the JSON Schema library.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace proxy {

/// Names of either side that are looked at.
inline constexpr size_t misnamed_names_max = 100;

/// For the first of the `missing` parameters, the name of `given` that may have been meant for it; empty: none. A name
/// that the schema knows is meant for itself, and a value of another type is meant for something else.
std::string given_for_missing(const boost::json::value* input_schema, const boost::json::object& given,
                              const std::vector<std::string>& missing);

} // namespace proxy
