// Changes of tables that a TOML text has in one line (`servers = {a = {command = "x"}}`), or in the brackets of a list.
#pragma once

#include "config/edits/text_edit.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace edits {

// The text is well-formed. `path`: which item of a list is meant stands as "[2]" behind its name. Nothing: what the
// change is about is not written so.

/// A member of the table that is at `path`, its last name that of the member; it is not there yet.
std::optional<text_edits> add_to_inline(std::string_view text, const key_path& path, const boost::json::value& value);
/// Behind the last item of the list at `path`.
std::optional<text_edits> append_to_inline(std::string_view text, const key_path& path,
                                           const boost::json::value& value);
/// The value of a member, there already or not.
std::optional<text_edits> set_in_inline(std::string_view text, const key_path& path, const boost::json::value& value);
/// The member or item at `path`.
std::optional<text_edits> remove_from_inline(std::string_view text, const key_path& path);

} // namespace edits
