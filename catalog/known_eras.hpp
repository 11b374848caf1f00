// Which servers are known to understand `server/discover` (2026-07-28), by what was learned when they were started
// last: a small file each, whose date is the day of that. Losing one costs asking again.
#pragma once

#include "messages/servers.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace catalog {

/// A server may be another program by then.
inline constexpr std::chrono::hours era_kept_max{30 * 24};
/// Of all servers together; then those that were not learned of for longest are forgotten.
inline constexpr size_t eras_max = 2'000;

class known_eras {
public:
  using clock = std::chrono::system_clock;

  /// `state_folder`: empty: nothing is known, and nothing kept.
  explicit known_eras(const std::string& state_folder);

  /// Nothing: it is not known, or was learned too long ago.
  std::optional<bool> is_modern(const msg::server_entry& entry, clock::time_point now = clock::now()) const;
  /// The same is written at most once a day. What can not be written is not known next time.
  void keep(const msg::server_entry& entry, bool is_modern, clock::time_point now = clock::now());

private:
  std::string path_of(const msg::server_entry& entry) const;
  void sweep() const;

  std::string folder_; ///< empty: none
};

} // namespace catalog
