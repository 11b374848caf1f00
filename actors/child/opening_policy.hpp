// What a server is asked first when it is started, and what is remembered of its answer: asking one that only knows
// `initialize` for `server/discover` costs time, and ends some.
#pragma once

#include "mcp/client_opening.hpp"
#include "messages/servers.hpp"

#include <functional>

namespace child {

/// What is known of servers from earlier starts, also of other processes. Both may be empty: then all are taken to
/// begin with `initialize`.
struct era_memory {
  std::function<mcp::opening(const msg::server_entry&)> recall;
  /// True: it understands `server/discover`.
  std::function<void(const msg::server_entry&, bool is_modern)> keep;
};

/// Of one entry.
class opening_policy {
public:
  explicit opening_policy(era_memory memory) : memory_(std::move(memory)) {}

  /// For a new connection.
  mcp::opening next(const msg::server_entry& entry);
  /// It serves.
  void opened(const msg::server_entry& entry, const mcp::client_opening& how);
  /// It did not come to serve. True: that may come of what it was asked first, and the next connection will begin with
  /// `initialize`.
  bool failed();

private:
  era_memory memory_;
  mcp::opening last_ = mcp::opening::initialize;
  bool was_silent_ = false;            ///< it serves all the same: it is not waited for again
  bool is_discovery_in_doubt_ = false; ///< it has not served after that was asked
};

} // namespace child
