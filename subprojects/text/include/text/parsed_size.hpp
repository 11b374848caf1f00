// What a JSON text takes once it is parsed, before it is.
#pragma once

#include <cstdint>
#include <string_view>

namespace text {

/// Bytes of memory, about; one pass over the text. Lists of small objects take twenty times their text.
uint64_t parsed_size(std::string_view json);

} // namespace text
