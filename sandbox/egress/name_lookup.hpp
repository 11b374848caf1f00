// Looking up a name by c-ares: in /etc/hosts, then at the name servers of /etc/resolv.conf.
#pragma once

#include "sandbox/egress/egress_dependencies.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <string>

namespace egress {

struct lookup_places {
  asio::any_io_executor loop;
  asio::any_io_executor worker; ///< reads files and answers, which may be large
  std::string name_servers;     ///< "address:port,..."; empty: those of the system
};

/// Each lookup has its own channel of c-ares with its own sockets, so that none waits for another one; they are closed
/// when it is answered or `stop` is emitted. The name is taken as it is: search domains are for people who type. No
/// more addresses than limits::egress_addresses_max; the first one that is not public is told alone.
asio::awaitable<resolved_name> look_up_name(lookup_places where, std::string name, asio::cancellation_slot stop);

} // namespace egress
