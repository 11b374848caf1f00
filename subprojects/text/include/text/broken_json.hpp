// What can still be told of a JSON text that can not be parsed.
#pragma once

#include <cstddef>
#include <string_view>

namespace text {

/// The text of what `key` stands for in the outermost object. Empty: by its quotes and brackets the text is not one
/// whole object, or the key is there never or more than once, or its value is a list, an object, or longer than
/// `bytes_max`. One pass over the text, whatever is in it.
std::string_view member_of_broken_json(std::string_view json, std::string_view key, size_t bytes_max);

/// Likewise of an object of which only the beginning and the ending are there: of the first that is whole in the
/// beginning, else of the last one of the object. Of the latter a text with escapes is not told.
std::string_view member_of_long_json(std::string_view beginning, std::string_view ending, std::string_view key,
                                     size_t bytes_max);

/// Deeper than json_depth_max. Brackets in texts are none.
bool is_nested_too_deep(std::string_view json);

} // namespace text
