// Types made of types: what holds for either, and what holds for both.
#pragma once

#include "proxy/types/type.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <vector>

namespace types {

/// Any of them: flat, each once, nothing that another one covers. None: never.
type either(std::vector<type> parts);

/// How many types there are in it.
size_t size_of(const type& t);

/// Exactly this value; long or deep ones by their kind only.
type of_value(const boost::json::value& value);

/// What both allow; nothing where they contradict each other. Named types must have been replaced by what they are; one
/// that is left counts as unknown. Where all of it would be too much it is only what the first allows.
std::optional<type> both(const type& a, const type& b);

} // namespace types
