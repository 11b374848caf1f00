// Parts of a value that a program reads on their own.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

namespace artifacts {

/// The value at the path of the query, from its offset, as far as its limit. Most of the whole is shared, less is
/// copied.
msg::outcome<msg::document> part(const msg::document& whole, const msg::artifact_query& query);

} // namespace artifacts
