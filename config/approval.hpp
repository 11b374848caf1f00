// What the user has said of an entry of a project's file.
#pragma once

#include "messages/servers.hpp"

#include <cstdint>
#include <functional>

namespace config {

enum class approval : uint8_t {
  none,
  given,
  outdated,
  late, ///< nothing, and a program of ours may have written it: what a client has approved by its name does not count
};
using approval_lookup = std::function<approval(const msg::server_entry&)>;
inline approval approves_nothing(const msg::server_entry& /*entry*/) { return approval::none; }

} // namespace config
