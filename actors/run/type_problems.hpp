// Before a run: whether the types of its program fit, if it was asked for.
#pragma once

#include "actors/run/ending.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <optional>

namespace actors::run {

/// Told of one program; the first explain most of the others.
inline constexpr size_t type_problems_shown_max = 20;

/// `problems`: a list of `{line, column, message}`, or why there is none. Nothing: the types fit. The first problem has
/// its place in the error itself, all have it before their messages.
std::optional<ending> judge_types(const msg::outcome<msg::document>& problems);

} // namespace actors::run
