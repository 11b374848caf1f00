// Changes of one member in a JSON text, comments and trailing commas kept.
#pragma once

#include "config/edits/text_edit.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace edits {

/// The text is well-formed, or blank. What is not there on the way is made. Of a key that is there twice the last one
/// is meant: readers take that one. The fault begins with the place.
msg::outcome<text_edits> set_json(std::string_view text, const key_path& to, const boost::json::value& value);

/// Members that are not there yet, into the object at the end of those keys, which is made if it is not there.
msg::outcome<text_edits> add_json(std::string_view text, const key_path& object, const boost::json::object& members);

/// All members of these names in the object at the end of those keys; none if they are not there.
text_edits remove_json(std::string_view text, const key_path& object, const std::vector<std::string>& names);

} // namespace edits
