// What clients are known to do to results.
#pragma once

#include <cstddef>
#include <string_view>

namespace surface {

/// Of each part of a result, so that the client, by the name that it gives itself, cuts nothing away. No bound is
/// known: all.
size_t characters_shown_by(std::string_view client_name);

/// Whether it gives the model a result's `_meta`, which is for programs: then it gets none.
bool shows_meta(std::string_view client_name);

/// Whether it takes a first text that is JSON for `structuredContent` where a result has none, and refuses it if it is
/// not an object: then it gets an empty one, so that a number and a list reach the model.
bool guesses_structure(std::string_view client_name);

} // namespace surface
