// What a result says it is, since 2026-07-28 (`resultType`).
#pragma once

#include "mcp/revision.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace mcp {

/// Why a result is not the end of what was asked: the rest of a sentence about the server. Empty: it is; also where it
/// does not say what it is.
std::string unusable_result(revision spoken, const boost::json::object& result);

} // namespace mcp
