// What verbs ask for: to look at something, to make or change it, to remove it, to run it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tool_search {

/// Bits: a verb may be of several kinds, and so may the verbs of a name.
enum action : uint8_t { no_action = 0, looks = 1, makes = 2, removes = 4, runs = 8 };

struct verb {
  std::string stem;
  uint8_t kinds = no_action; ///< of action
};

/// The verbs that are known, each once.
std::span<const verb> verbs();

/// Of a stem; no_action: it is no verb that is known.
uint8_t action_of(const std::string& stem);

} // namespace tool_search
