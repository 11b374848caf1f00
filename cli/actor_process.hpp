// What a process of ours is made of in which actors run.
#pragma once

#include "actors/bridge/threads.hpp"
#include "process/guardian.hpp"

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace cli {

/// A base: its parts are made before all others, in this order, and are there until all others are gone.
class actor_process {
protected:
  actor_process();
  ~actor_process() = default;

  /// After the loop, when nothing holds an actor any more: lets what is left of actors and coroutines end, so that
  /// nothing holds the system.
  void let_actors_end();

  asio::io_context io_{1};
  bridge::threads threads_;
  process::guardian guardian_;
  caf::actor_system_config cfg_;
  caf::actor_system system_;
  asio::signal_set signals_; ///< those that end a process
};

} // namespace cli
