// A small value of the same kind as a large one.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace artifacts {

/// The first elements of lists, the fields of objects and the beginnings of texts (followed by "..."), as JSON of at
/// most about `bytes_max`.
boost::json::value sample_of(const boost::json::value& value, size_t bytes_max);

} // namespace artifacts
