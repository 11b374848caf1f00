#include "cli/actor_process.hpp"

#include "actors/bridge/asio_scheduler.hpp"
#include "actors/bridge/message_types.hpp"

#include <caf/actor_ostream.hpp>
#include <caf/all.hpp>

#include <csignal>

namespace cli {

namespace {

/// A busy actor gives way to the descriptors after so many messages.
constexpr size_t messages_per_turn = 64;
/// Of the loop, for what ends actors: some ten are enough.
constexpr int last_turns_max = 1'000;

caf::actor_system_config& configure(caf::actor_system_config& cfg, asio::io_context& io) {
  cfg.set("scheduler.max-throughput", messages_per_turn);
  bridge::asio_scheduler::load(cfg, io);
  bridge::register_message_types(cfg);
  return cfg;
}

} // namespace

actor_process::actor_process() : system_(configure(cfg_, io_)), signals_(io_, SIGTERM, SIGINT, SIGHUP) {
  // Stdout belongs to the protocol, and stderr may be a file that opening would empty.
  caf::actor_ostream::redirect_all(system_, "/dev/null");
}

void actor_process::let_actors_end() {
  signals_.cancel();
  threads_.join();
  io_.restart();
  for (int i = 0; i < last_turns_max && (io_.poll() > 0 || system_.registry().running() > 0); ++i)
    ;
}

} // namespace cli
