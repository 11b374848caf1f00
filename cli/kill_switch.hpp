// For builds with sanitizers only: SIGUSR2 kills the actor that CODE_EXECUTOR_TEST_KILL names, as a mistake of ours
// would. The end-to-end tests see then what that costs the client.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/send.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <utility>

namespace cli {

#ifdef CODE_EXECUTOR_KILL_SWITCH
inline constexpr bool has_kill_switch = true;
#else
inline constexpr bool has_kill_switch = false;
#endif

class kill_switch : public std::enable_shared_from_this<kill_switch> {
public:
  kill_switch(asio::io_context& io, std::string whom) : whom_(std::move(whom)), signal_(io, SIGUSR2) {}

  void listen() {
    signal_.async_wait([self = shared_from_this()](asio::error_code ec, int) {
      if (ec)
        return;
      ++self->wanted_;
      self->kill();
      self->listen();
    });
  }

  /// For supervisor_options::started.
  void started(const std::string& name, const caf::strong_actor_ptr& actor) {
    if (name != whom_)
      return;
    actor_ = caf::actor_cast<caf::actor_addr>(actor);
    kill();
  }

private:
  /// Each of them once: one that is not there yet dies when it comes.
  void kill() {
    if (!actor_ || wanted_ == 0)
      return;
    --wanted_;
    caf::anon_send_exit(std::exchange(actor_, {}), caf::exit_reason::kill);
  }

  std::string whom_;
  asio::signal_set signal_;
  caf::actor_addr actor_; ///< null: it has been killed
  int wanted_ = 0;        ///< deaths to come
};

} // namespace cli
