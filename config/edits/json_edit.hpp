// Changes of one member in a JSON text, comments and trailing commas kept.
#pragma once

#include "config/edits/text_edit.hpp"
#include "messages/errors.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace edits {

/// The text is well-formed, or blank. What is not there on the way is made. Of a key that is there twice the last one
/// is meant: readers take that one. The fault begins with the place.
msg::outcome<text_edits> set_json(std::string_view text, const key_path& to, const boost::json::value& value);

/// All members of these names in the object at the end of those keys; none if they are not there.
text_edits remove_json(std::string_view text, const key_path& object, const std::vector<std::string>& names);

} // namespace edits
