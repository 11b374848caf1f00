// The clients that come over HTTP: a session for each, and its end.
#pragma once

#include "actors/reply_promise.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/system_messages.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace actors {

/// Hears of owners that do not come back.
struct owner_watch {
  std::function<void()> none_yet;                      ///< what is there is left of an earlier process
  std::function<void(const std::string& owner)> began; ///< before the first request of each of its clients
  std::function<void(const std::string& owner)> ended; ///< with its last client
};

struct clients_options {
  /// Starts the session of that client.
  std::function<msg::client_connection_actor(caf::local_actor* parent, const msg::client_opening&)> open;
  msg::sessions_actor guests; ///< hears of owners that are gone; null: they have no guests
  owner_watch owners;         ///< all or none
  /// A session answers what it owes within its own time; only so that the wait is finite.
  std::chrono::milliseconds stop_max{80};
  /// A session has ended by a mistake of ours: that client is to begin anew.
  std::function<void(uint32_t connection)> failed;
};

class clients_state {
public:
  static inline const char* name = "clients";

  explicit clients_state(msg::clients_actor::pointer self) : self_(self) {}
  clients_state(const clients_state&) = delete;
  clients_state& operator=(const clients_state&) = delete;
  /// Its sessions end with it: no successor would find them again.
  ~clients_state();
  msg::clients_actor::behavior_type make_behavior(clients_options options);

private:
  struct client {
    msg::client_connection_actor session;
    std::string owner;
    bool comes_back = false;
  };

  msg::client_connection_actor open(const msg::client_opening& opening);
  void close(uint32_t connection);
  void forget_owner(const client& gone);
  void down(const caf::down_msg& down);
  caf::result<bool> stop();

  msg::clients_actor::pointer self_;
  clients_options options_;
  std::map<uint32_t, client> clients_; ///< by number of connection
};

msg::clients_actor::behavior_type clients(msg::clients_actor::stateful_pointer<clients_state> self,
                                          clients_options options);

} // namespace actors
