// The parameters of a tool in one short line, for lists of tools.
#pragma once

#include "messages/tool_call.hpp"

#include <cstddef>
#include <string>

namespace types {

/// `path: string, head?: number`, those that must be given first; empty: it takes none. What is too long says less of
/// its types, then ends with `...`: at most bytes_max, which has room for that at least.
std::string parameter_line(const msg::tool_info& tool, size_t bytes_max);

} // namespace types
