// Puts one entry into the list of servers of a file, or takes it out, by changes at positions. What comes out is read
// again, and counts only if it says what was meant and nothing else.
#pragma once

#include "config/config_file.hpp"
#include "config/edits/text_edit.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edits {

enum class entry_list : uint8_t {
  by_name, ///< an object whose keys are the names
  items,   ///< a list of objects with a `name`; not in JSON
};

struct server_place {
  key_path container; ///< keys that lead to the list
  entry_list kind = entry_list::by_name;
};

/// What was put into a text, and where.
struct put_text {
  size_t line = 0; ///< from 1, of the text that comes out
  std::string text;
};

struct edited_text {
  std::string text;
  std::vector<put_text> put; ///< nothing of what was there before
};

/// The text as one value; a blank one is an empty object. The fault begins with the place.
msg::outcome<boost::json::value> parse_text(config::file_format format, std::string_view text);

/// Null: there is none.
const boost::json::object* find_entry(const boost::json::value& root, const server_place& list, std::string_view name);

/// Of an entry that is there the keys of `entry` are set, and its other keys stay. The text comes out as it was if it
/// has all that. `entry` of a list of items begins with `name`. The fault begins with the place: the text is broken, or
/// written in a way that can not be changed so.
msg::outcome<edited_text> put_entry(config::file_format format, std::string_view text, const server_place& list,
                                    std::string_view name, const boost::json::object& entry);

/// Entries of a list by name in JSON, none of which is there yet, all at once. As put_entry() otherwise.
msg::outcome<edited_text> put_new_entries(std::string_view text, const server_place& list,
                                          const boost::json::object& entries);

/// Every one of these names. The text comes out as it was if there is none.
msg::outcome<edited_text> remove_entries(config::file_format format, std::string_view text, const server_place& list,
                                         const std::vector<std::string>& names);

} // namespace edits
