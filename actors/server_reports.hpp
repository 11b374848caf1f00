// What the actor of a server tells others without being asked: the connector, and the record.
#pragma once

#include "actors/child/lifecycle.hpp"
#include "actors/child/restart_policy.hpp"
#include "actors/child/state_record.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace actors {

/// A part of a server's actor, which outlives it. Of actors that there are not, none hears anything.
class server_reports {
public:
  server_reports(msg::child_server_actor::pointer self, std::string server, msg::connector_actor connector,
                 msg::audit_log_actor audit);

  void running(bool runs);
  /// After every change of its state.
  void state(const child::lifecycle& life, const child::restart_policy& restarts,
             std::chrono::steady_clock::time_point now);
  /// `then` hears which of them may not be called, or why none of them may.
  void tools(const msg::listed_tools& list, const std::function<void(msg::outcome<std::vector<std::string>>)>& then);

private:
  msg::child_server_actor::pointer self_;
  std::string server_;
  msg::connector_actor connector_;
  msg::audit_log_actor audit_;
  child::state_record record_;
};

} // namespace actors
