// Where in a value: `items[3].name`, `items[-1]["a key"]`, or a JSON pointer, `/items/3/name`.
#pragma once

#include "messages/errors.hpp"

#include <string_view>

namespace boost::json {
class value;
}

namespace artifacts {

/// The value at that path; the empty path is the root. The fault says how far the path leads and what is there.
msg::outcome<const boost::json::value*> find(const boost::json::value& root, std::string_view path);

} // namespace artifacts
