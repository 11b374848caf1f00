// The beginning of a value that others have made, as JSON: for a log or an error, where its size must not count.
#pragma once

#include <cstddef>
#include <string>

namespace boost::json {
class value;
}

namespace text {

/// At most so many bytes of its text (text/json_text.hpp), however large it is; the last character may be cut.
std::string json_beginning(const boost::json::value& value, size_t bytes_max);
/// See text::quoted().
std::string quoted_json(const boost::json::value& value, size_t bytes_max);

} // namespace text
