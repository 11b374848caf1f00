// What clients are known to do to results that are too long for them.
#pragma once

#include <cstddef>
#include <string_view>

namespace tools {

/// Of each part of a result, so that the client, by the name that it gives itself, cuts nothing away. No bound is known: all.
size_t characters_shown_by(std::string_view client_name);

/// Whether it gives the model a result's `_meta`, which is for programs: then it gets none.
bool shows_meta(std::string_view client_name);

} // namespace tools
