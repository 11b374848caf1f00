// What the connector knows of one configured server.
#pragma once

#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "proxy/names.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace servers {

using time_point = std::chrono::steady_clock::time_point;

/// A list that was held against what was approved: what of it may be used, and what not.
struct reviewed_list {
  /// As last read by this process, without those that are held; what was read before is in the catalog.
  msg::listed_tools tools;
  msg::listed_tools with_held; ///< with those that are held; empty: there are none
  proxy::name_table names{};   ///< of `tools`

  /// Of that very name. Null: there is none.
  const msg::tool_info* tool(const std::string& name) const;
  /// Whether the tool is what was approved; of one that is not listed: whether nothing is held.
  bool is_settled(const std::string& tool) const;
  /// Whether the last list has it, and it may not be used.
  bool holds(const std::string& tool) const;
  /// The user has approved it since the list was reviewed, or not.
  void update(const msg::tool_info& tool);
};

proxy::name_table names_in(const msg::tool_list& tools);
/// Whether the tool says itself what it gives.
bool declares_output(const msg::tool_info& tool);

/// Calls that wait for a list that is being read hear here whether it could be.
using list_readers = std::vector<std::function<void(const msg::fault&)>>;

struct server {
  uint64_t number = 0; ///< of all that this connector has had: two of the same name are two
  msg::server_entry entry;
  reviewed_list usable;
  bool listed = false;                 ///< by this process
  uint64_t review = 0;                 ///< that this is of
  std::weak_ptr<list_readers> readers; ///< of the list that was asked for; null: it was not
  bool has_slot = false;               ///< it runs, or may be started
  bool may_lose_slot = false;          ///< it is asked to give it to another one, and has not answered
  time_point last_used{};
  uint64_t since = 0;     ///< generations of the configuration that it is part of: from here
  uint64_t until = 0;     ///< to before here, once it is retired; 0: it is not
  std::string last_error; ///< of its actor, when that died
  bool is_retired() const { return until > 0; }
};

} // namespace servers
