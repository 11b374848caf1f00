// What a schema says for people, in one line.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace types {

/// White space and control characters exec single spaces; cut with "..." behind a whole character.
std::string one_line(std::string_view text, size_t bytes_max);

/// The description, and in brackets what a type cannot say: default, format, bounds, examples. Empty: nothing.
std::string doc_of(const boost::json::object& schema);

} // namespace types
