// Faults between us and MCP servers, and providers of models, in a simulation: the real decorators with a plan of
// chance, on the virtual clock. Never on the server that nothing is wrong with.
#pragma once

#include "faults/faulty_connection.hpp"
#include "faults/faulty_models.hpp"
#include "faults/timer.hpp"
#include "mcp/request_labels.hpp"
#include "messages/actors.hpp"
#include "process/child.hpp"

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <sched.h>
#include <string>

namespace simulation {

class injected_faults {
public:
  /// Half of all seeds have some.
  explicit injected_faults(uint64_t seed);
  injected_faults(const injected_faults&) = delete;
  injected_faults& operator=(const injected_faults&) = delete;
  ~injected_faults();

  bool are_on() const { return faults_ != nullptr; }
  /// Opens what `open` opens, with faults on it.
  msg::outcome<std::shared_ptr<mcp::connection>> put_on(const std::string& server, msg::child_server_actor owner,
                                                        uint64_t generation, const faults::connection_opener& open);
  /// The server answers that with a refusal of who asks.
  bool refuses_login(const std::string& server, const msg::child_server_actor& owner, uint64_t generation,
                     const mcp::request_subject& about);
  /// Sends what `real` sends, with faults on it.
  faults::model_sender put_on(const std::string& provider, const std::string& model, faults::model_sender real);
  /// What a server says: read as soon as the faults permit.
  void read(asio::awaitable<void> message);
  /// Time does not pass by itself.
  void set_time(faults::clock::time_point now);
  /// False: nothing was to be done.
  bool go_on();
  /// Whatever was put off happens now.
  void end();

private:
  void wait_for_the_kernel() const;

  asio::io_context io_{1};
  process::descriptor kernel_timer_;
  cpu_set_t processors_{};                   ///< of this thread, before it was given one
  std::shared_ptr<faults::injector> faults_; ///< null: there are none
};

} // namespace simulation
