// What a server answers, without its own secrets where it tells of an error.
#pragma once

#include "mcp/secret_mask.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <cstddef>

namespace child {

/// Larger ones are data rather than words.
inline constexpr size_t errors_masked_bytes_max = 64u << 10;

/// Errors are masked like what is on stderr: "401: key sk-... is not valid". What it answers otherwise is data, and
/// stays as it is.
msg::outcome<msg::document> masked_answer(msg::outcome<msg::document> answer, const mcp::masking& mask);

} // namespace child
