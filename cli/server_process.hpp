// What a command is made of that connects to servers, asks them something, and ends.
#pragma once

#include "actors/bridge/factories.hpp"
#include "cli/actor_process.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/actors.hpp"

#include <asio/awaitable.hpp>

#include <vector>

namespace cli {

/// A base. The catalog of the tools is a passing one: nothing is written.
class server_process : protected actor_process {
public:
  bool was_interrupted() const { return is_interrupted_; }

protected:
  server_process(const config::environment& env, const config::settings& settings,
                 const config::variable_lookup& variables, std::vector<msg::server_entry> servers);
  ~server_process() = default;

  /// Until end() was called by one of the coroutines that were spawned before. A signal ends what was begun with an
  /// error: see was_interrupted().
  void run_loop();
  /// Stops the servers, and ends the loop.
  asio::awaitable<void> end();

  bridge::dependencies dependencies_;
  msg::catalog_actor catalog_;
  msg::connector_actor connector_;

private:
  bool is_interrupted_ = false;
};

} // namespace cli
