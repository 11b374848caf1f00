// What becomes of an answer that the server has given, when a rule hits it.
#pragma once

#include "faults/plan.hpp"
#include "messages/document.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace faults {

/// The values of a larger answer stay as they are: what a rule makes of them may take 70 times as much memory, and a
/// plan of a run comes from a client.
inline constexpr size_t changed_bytes_max = size_t{2} << 20;

struct changed_answer {
  msg::document message;
  std::optional<std::string> line = std::nullopt; ///< in its place: this is no message
};

/// May be done on any thread; of large answers it takes tens of milliseconds. What a rule does besides (that nothing
/// comes, or twice, or later) is not done here.
changed_answer change(const msg::document& answer, const rule& by);

} // namespace faults
