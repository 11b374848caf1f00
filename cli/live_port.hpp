// How others of this user learn how the servers of a process that serves are just now: by a socket in the state folder.
#pragma once

#include "messages/actors.hpp"

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <caf/actor_control_block.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace cli {

/// `running/<pid>.sock`, for this user alone. Whoever connects gets one JSON document and the end; nothing is read. It
/// costs nothing while nobody asks, and whether the process lives is seen by whether it listens.
class live_port {
public:
  /// Null: there is no place for it. That is no reason not to serve.
  static std::shared_ptr<live_port> open(asio::io_context& io, caf::strong_actor_ptr port,
                                         const msg::connector_actor& connector, const std::string& state_folder);
  ~live_port();
  live_port(const live_port&) = delete;
  live_port& operator=(const live_port&) = delete;

  /// Nobody is answered any more; the socket is removed, and no handle of an actor is kept.
  void close();

private:
  using protocol = asio::local::stream_protocol;

  live_port(asio::io_context& io, caf::strong_actor_ptr port, msg::connector_actor connector, std::string path);
  static asio::awaitable<void> accept(std::shared_ptr<live_port> self);
  static asio::awaitable<void> answer(std::shared_ptr<live_port> self, std::shared_ptr<protocol::socket> to);

  protocol::acceptor acceptor_;
  caf::strong_actor_ptr port_;
  msg::connector_actor connector_;
  std::string path_;
  std::chrono::system_clock::time_point since_ = std::chrono::system_clock::now();
  uint32_t open_ = 0; ///< connections
};

} // namespace cli
