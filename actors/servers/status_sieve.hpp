// How the servers are, as far as a caller may know it.
#pragma once

#include "actors/servers/server.hpp"
#include "messages/catalog.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "proxy/allowlist.hpp"
#include "proxy/tool_policy.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace servers {

/// Of one that no actor serves.
msg::server_status idle_status(const server& s);

/// Of one server, between two turns.
struct server_in_sieve {
  struct progress {
    size_t looked_at, kept;
  };
  std::optional<proxy::usable_tools> usable; ///< nothing: there is no name to ask about
  std::vector<std::string> changed;
  bool is_useful = false; ///< to the caller
  progress tools{0, 0}, changes{0, 0};
  size_t methods_asked = 0;
};

/// Takes out of the states of servers what a caller may not know of their tools, and adds what the catalog knows. On
/// one thread at a time.
class status_sieve {
public:
  std::vector<msg::server_status> list; ///< in order of name
  msg::indexed_servers indexed;         ///< what the catalog knows

  /// Without a filter: as a person may know them.
  status_sieve(std::shared_ptr<const proxy::tool_policy> policy, const msg::tool_filter* filter);

  /// The server itself has answered.
  void answered(size_t place, msg::server_status status);
  /// What it knows can not be told now.
  void catalog_is_silent();
  /// True: all are done. Between two questions whether the turn is over, at most one name is held against all patterns.
  bool go_on(const std::function<bool()>& is_turn_over);
  /// Those that are of some use to the caller.
  std::vector<msg::server_status> take();

private:
  void begin(msg::server_status& status);
  bool take_out(std::vector<std::string>& names, server_in_sieve::progress& p,
                const std::function<bool()>& is_turn_over);
  bool find_use(const msg::server_status& status, const std::function<bool()>& is_turn_over);
  void complete(msg::server_status& status);

  bool is_filtered_;
  std::shared_ptr<const proxy::tool_policy> policy_;
  proxy::allowlist allowed_;
  size_t at_ = 0;
  std::optional<server_in_sieve> now_; ///< list[at_]
  std::vector<bool> useless_;
};

} // namespace servers
