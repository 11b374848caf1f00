// Which MCP servers exist: starts them when they are needed, finds out what names mean, passes calls on, tells the
// catalog of their tools.
#pragma once

#include "actors/connector_routes.hpp"
#include "actors/reply_promise.hpp"
#include "actors/server_actors.hpp"
#include "actors/servers/call_dispatch.hpp"
#include "actors/servers/generations.hpp"
#include "actors/servers/server_search.hpp"
#include "actors/servers/server_slots.hpp"
#include "actors/servers/tool_names.hpp"
#include "actors/servers/tool_resolution.hpp"
#include "actors/servers/tool_reviews.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"

#include <caf/actor_addr.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actors {

class connector_behavior {
public:
  using self_pointer = msg::connector_actor::pointer;

  /// The options' servers and those that start with us are taken out of them.
  connector_behavior(self_pointer self, connector_options options);
  connector_behavior(const connector_behavior&) = delete;
  connector_behavior& operator=(const connector_behavior&) = delete;
  ~connector_behavior() = default;
  msg::connector_actor::behavior_type make();

private:
  class waiting_caller;
  using call_result = msg::outcome<msg::tool_result>;
  using told_list = std::optional<msg::outcome<msg::listed_tools>>;

  // ---- messages of runs
  caf::result<call_result> call(msg::tool_request& request);
  caf::result<msg::outcome<bool>> log_in(msg::login_request& wanted);
  void cancel(msg::call_key key);
  void end_calls_of(uint64_t run);
  caf::result<msg::outcome<msg::tool_info>> describe(const msg::tool_ref& ref, const msg::tool_filter& allowed);
  void observe(const msg::tool_ref& tool, msg::document& result);
  caf::result<msg::outcome<msg::tool_matches>> search(msg::tool_query& query);
  caf::result<msg::server_list> statuses(const msg::tool_filter* filter);
  caf::result<std::vector<msg::server_start>> starts(const std::vector<msg::tool_ref>& tools);
  void run_begins(uint64_t run, const msg::client_abilities& abilities);
  bool run_ends(const caf::actor_addr& execution);
  uint64_t run_of_sender() const;

  // ---- messages of servers and of the supervisor
  caf::result<msg::outcome<std::vector<std::string>>> tools_listed(const std::string& name, msg::listed_tools& tools);
  caf::result<msg::outcome<uint32_t>> index(const std::string& name);
  msg::server_changes reload(msg::server_entries entries);
  caf::result<bool> stop();

  // ---- servers that are started
  void list_tools(servers::server& s, uint64_t run, std::chrono::milliseconds patience,
                  std::function<void(told_list)> then);
  void start_eager(const std::vector<std::string>& names);
  void stop_unneeded();
  void tell_meaning(const caf::strong_actor_ptr& caller, servers::checked_call& checked);

  // ---- for the plain classes
  servers::slot_routes routes_of_slots();
  servers::resolution_routes routes_of_tools();
  servers::search_routes routes_of_searches();

  self_pointer self_;
  connector_options options_;
  servers::generations all_;
  servers::tool_names names_;
  server_actors actors_;
  connector_routes routes_;
  servers::server_slots slots_;
  servers::tool_reviews reviews_;
  servers::tool_resolution tools_;
  servers::call_dispatch calls_;
  servers::server_search searches_;
  std::map<caf::actor_addr, uint64_t> runs_; ///< by their executions
  /// Runs; false once they are over, for what is done for them bit by bit.
  std::map<uint64_t, std::shared_ptr<bool>> goes_on_;
  bool stopping_ = false;
};

struct connector_state {
  static inline const char* name = "connector";
  std::optional<connector_behavior> behavior;
};

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self,
                                              connector_options options);

} // namespace actors
