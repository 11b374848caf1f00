// How the connector speaks with the actors of its servers, which are started when they are needed.
#pragma once

#include "actors/child_server.hpp"
#include "actors/reply_promise.hpp"
#include "actors/servers/call_dispatch.hpp"
#include "actors/servers/generations.hpp"
#include "actors/servers/tool_reviews.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"

#include <caf/system_messages.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace actors {

using servers::call_rates;
using servers::unreviewed_tools;

struct connector_options {
  std::vector<msg::server_entry> servers;
  std::vector<std::string> connect_at_start;
  connection_factory connect;
  background_work offload;
  /// A line of its own for what each server makes us do; null: none.
  std::function<background_work()> offload_of_server;
  msg::catalog_actor catalog;
  msg::rate_limiter_actor limiter;
  uint64_t jitter_seed = 0;
  child_limits limits{};
  uint32_t running_max = msg::limits::children_running_max;
  call_rates rates{};
  unreviewed_tools unreviewed = unreviewed_tools::taken;
  msg::name_policy policy{};     ///< of whole names, for all runs
  msg::audit_log_actor audit{};  ///< hears of the states of servers; null: no record does
  child::era_memory eras{};      ///< which servers understand `server/discover`
  child::login_factory log_in{}; ///< null: nobody is asked to log in
};

/// A part of the connector, which outlives it with all that it refers to.
class server_actors {
public:
  server_actors(msg::connector_actor::pointer self, const connector_options& options, servers::generations& all)
    : self_(self),
      options_(options),
      all_(all) {}
  server_actors(const server_actors&) = delete;
  server_actors& operator=(const server_actors&) = delete;
  /// Servers end with their connector, however that ends: no successor would find them again.
  ~server_actors();

  msg::child_server_actor of(const servers::server& s);
  /// A client that a run belongs to can be asked that: servers are told of all that any can.
  void can_ask(const msg::client_abilities& abilities);
  /// Null: it was not needed yet.
  msg::child_server_actor running(const servers::server& s) const;
  /// The same of the one that a run knows by that name.
  msg::child_server_actor running(const std::string& name, uint64_t run) const;
  /// The server whose actor has sent what is being handled. Null: it is none of ours any more.
  servers::server* of_sender();
  /// Gives up its slot if it is not in use; `then` is called when that is done, or is not to be.
  void stop_if_idle(servers::server& s, std::function<void(bool is_stopped)> then);
  /// Stops it in order. It is not needed any more.
  void end(uint64_t number);
  void end_all(const std::function<void()>& done);
  /// One has ended by a mistake of ours, or is not needed any more; the next call gets a new one.
  void down(const caf::down_msg& down, bool is_expected);

  /// Without a filter: as a person may know them. `run`: that asks; 0: none.
  void gather_statuses(const msg::tool_filter* filter, uint64_t run, const std::function<bool()>& is_wanted,
                       const reply_promise<msg::server_list>& answer);
  /// A server is asked once, however often it is in the list.
  void gather_starts(std::vector<msg::server_start> all, uint64_t run,
                     const reply_promise<std::vector<msg::server_start>>& answer);

private:
  void end(const msg::child_server_actor& actor, std::function<void()> done);

  msg::connector_actor::pointer self_;
  const connector_options& options_;
  servers::generations& all_;
  std::map<uint64_t, msg::child_server_actor> actors_; ///< by number of server
  std::vector<msg::child_server_actor> ending_;        ///< that are being stopped
  std::optional<msg::client_abilities> abilities_;     ///< nothing: no run has begun
};

} // namespace actors
