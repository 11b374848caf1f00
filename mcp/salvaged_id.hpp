// Of which request a line would have been the answer, were it not broken.
#pragma once

#include <cstdint>
#include <string_view>

namespace mcp {

/// The number behind `"id":` at the top level of a broken line, or 0. Ids inside of the content are not the message's.
/// The line may be cut off, after which nothing can be told of it as a whole.
int64_t salvaged_id(std::string_view line);

} // namespace mcp
