// Steps over the parts of a TOML text that is known to be well-formed.
#pragma once

#include "config/edits/text_edit.hpp"

#include <cstddef>
#include <string_view>

namespace edits {

/// Behind the blanks and tabs that begin there.
size_t behind_blanks(std::string_view text, size_t at);

/// Behind the string that begins there, of one line or between three quotes.
size_t end_of_toml_string(std::string_view text, size_t at);

/// The names of a key, dotted or not, that begins there; `at` is behind it and its blanks then.
key_path toml_key_names(std::string_view text, size_t& at);

} // namespace edits
