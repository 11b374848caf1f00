// What the egress proxy does to the network. Tests have a world of their own, in which names mean what the test says.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>

#include <functional>
#include <string>
#include <vector>

namespace egress {

struct resolved_name {
  std::vector<asio::ip::address> addresses; ///< best first; of a long answer not all
  std::string problem;                      ///< why there are none
};

struct egress_dependencies {
  /// Looks up a name. Ends soon after `stop` was emitted, at the latest.
  std::function<asio::awaitable<resolved_name>(std::string name, asio::cancellation_slot stop)> resolve;
  /// Whether the address belongs to this machine, which guests must not reach from inside.
  std::function<bool(const asio::ip::address&)> is_ours;
  /// Connects `socket`, which outlives the attempt; closing it ends the attempt.
  std::function<asio::awaitable<asio::error_code>(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint to)> dial;
};

/// The real one: the name servers of the system, this machine's routes. `worker`: for the lookups of one guest.
egress_dependencies internet(asio::any_io_executor executor, asio::any_io_executor worker);

} // namespace egress
