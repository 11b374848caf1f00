// The configured servers: those of now, and those of configurations before, as long as a run may use them that began
// with these.
#pragma once

#include "actors/servers/server.hpp"
#include "catalog/server_names.hpp"
#include "messages/policy.hpp"
#include "messages/servers.hpp"
#include "proxy/names.hpp"
#include "proxy/tool_policy.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servers {

/// The names of all servers of one generation of the configuration.
class name_set {
public:
  std::vector<std::string> names, trusted;
  /// Null: there is no such server, by name or alias. What may be started goes first: an entry of a repository takes no
  /// name from the user's.
  const std::string* find(std::string_view written) const;
  /// Whether both natural aliases of this name, which is one of `names`, mean this server.
  bool is_found_by_aliases(const std::string& name) const { return table_of(names, table_).is_found_by_aliases(name); }

private:
  static const proxy::name_table& table_of(const std::vector<std::string>& names,
                                           std::optional<proxy::name_table>& made);

  /// Made at the first question: for 500 servers that takes a millisecond, for which no start has to wait.
  mutable std::optional<proxy::name_table> table_, trusted_table_;
};

/// Addresses of servers are good until the configuration is replaced, or a run ends.
class generations {
public:
  /// `policy`: of whole names, for all runs.
  generations(msg::name_policy policy, std::vector<msg::server_entry> first);

  /// A new generation. Servers that are the same are kept, the others are retired.
  msg::server_changes replace(std::vector<msg::server_entry> entries);

  /// As a run finds it: a server that another configuration has replaced is still there for those that began before.
  /// Null: there is none.
  server* find(const std::string& name, uint64_t run = 0);
  /// Of that number. Null: it is not there any more.
  server* numbered(uint64_t number);
  /// The one of now or the last retired one that a process of that entry serves as well. Null: there is none.
  server* configured_as(const msg::server_entry& entry);
  /// Those of now, by name.
  std::map<std::string, server>& now() { return now_; }
  std::vector<server*> with_retired();
  /// As that run knows them; 0, or a run that has not begun: as they are now.
  const name_set& names_of(uint64_t run) const;
  /// Of the servers of now that the user has not approved.
  const catalog::server_names& refused_names() const { return refused_; }
  /// Of now. Other threads have it, too.
  const std::shared_ptr<const proxy::tool_policy>& policy() const { return policy_; }

  void run_begins(uint64_t run) { runs_[run] = generation_; }
  void run_ends(uint64_t run) { runs_.erase(run); }
  /// Numbers of retired servers that no run can use any more, and that are gone from here.
  std::vector<uint64_t> take_unneeded();

private:
  void set(std::vector<msg::server_entry> entries);

  msg::name_policy of_settings_;
  std::map<std::string, server> now_;
  std::vector<server> retired_;
  catalog::server_names refused_;
  std::map<uint64_t, name_set> names_; ///< by generation; the last one counts now
  std::map<uint64_t, uint64_t> runs_;  ///< the generation that they began with
  uint64_t generation_ = 0;
  uint64_t last_number_ = 0;
  std::shared_ptr<const proxy::tool_policy> policy_;
};

} // namespace servers
