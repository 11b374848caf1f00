// Changes of one table in a TOML text, comments kept.
#pragma once

#include "config/edits/text_edit.hpp"
#include "config/edits/toml_outline.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace edits {

/// Of what kind the list of tables is: `[servers.NAME]`, or `[[servers]]` with a `name`.
enum class toml_table : uint8_t { named, item };

/// At the end of the text, or in the brackets of the list if it has some. `to`: of the table; an item's is that of its
/// list.
text_edits add_toml(std::string_view text, const key_path& to, toml_table kind, const boost::json::object& table);

/// A key of a table that is there. The fault begins with the place: the table is written in a way in which nothing can
/// be put in.
msg::outcome<text_edits> set_toml(std::string_view text, const key_path& table, std::string_view key,
                                  const boost::json::value& value);

/// These tables, and all that is in them, wherever it stands; none of them is in another one. Of those that stand in
/// the brackets of a list the first only.
text_edits remove_toml(std::string_view text, const std::vector<key_path>& tables);

} // namespace edits
