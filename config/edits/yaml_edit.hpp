// Changes of one member or item in a YAML document, comments kept. What is put in stands in blocks, or in one line
// where its neighbours do.
#pragma once

#include "config/edits/text_edit.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace edits {

/// Which member of the part at the end of those keys is meant: one with a key, or an item with that `name`.
struct yaml_place {
  key_path keys;
  std::string_view name;
  bool is_item = false;
};

/// One that is not there yet. What is not there on the way is made. The fault begins with the place.
msg::outcome<text_edits> add_yaml(std::string_view text, const yaml_place& to, const boost::json::object& entry);

/// A key of one that is there.
msg::outcome<text_edits> set_yaml(std::string_view text, const yaml_place& of, std::string_view key,
                                  const boost::json::value& value);

/// None if it is not there.
msg::outcome<text_edits> remove_yaml(std::string_view text, const yaml_place& what);

} // namespace edits
