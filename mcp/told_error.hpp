// An error of JSON-RPC as it is told to people and programs.
#pragma once

#include "mcp/secret_mask.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace mcp {

/// "message (code -32602): data", whatever shape the error has; each part masked, and cut after that.
std::string told_error(const boost::json::value& error, size_t bytes_max, const masking& masked);

/// 0: it has none, or there is no error.
int64_t error_code(const boost::json::value* error);

} // namespace mcp
