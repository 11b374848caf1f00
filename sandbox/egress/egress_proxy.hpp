// The only way out of a guest: an HTTP proxy that it finds on 127.0.0.1:3128 of its own network namespace. CONNECT
// carries https and everything else on TCP; http:// URLs in the request line carry http. Names are looked up here,
// never by the guest; what they resolve to is checked and then connected to by that very address, so that a second
// lookup with another answer changes nothing. A redirect is a new connection, and checked as such.
//
// How guests use it (found by trying): Deno's fetch reads HTTP_PROXY and HTTPS_PROXY without --allow-env, needs
// --allow-net for the hosts it asks for but not for the proxy, and asks no DNS; it shows no more of a refused CONNECT
// than "unsuccessful tunnel". DENO_NO_UPDATE_CHECK=1 keeps it from asking for its own releases. Python's urllib reads
// http_proxy and https_proxy and shows the reason phrase, which is why that says it all; for https it needs
// SSL_CERT_FILE and the file.
#pragma once

#include "messages/limits.hpp"
#include "process/child.hpp"
#include "sandbox/egress/egress_dependencies.hpp"
#include "sandbox/egress/host_rules.hpp"

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace egress {

/// One attempt of a guest to reach a host.
struct connection_record {
  std::string host; ///< as normalised; empty: the request was not understood
  uint16_t port = 0;
  std::string address;    ///< connected to, or refused for; empty: none
  bool allowed = false;   ///< by the rules and checks; it may have failed all the same
  std::string reason;     ///< why it was refused, failed or ended; empty: it ended by itself
  uint64_t bytes_in = 0;  ///< to the guest
  uint64_t bytes_out = 0; ///< from the guest
  std::chrono::milliseconds duration{};
};

/// Times and counts; the defaults are the program's limits.
struct egress_bounds {
  std::chrono::milliseconds head = msg::limits::egress_head_timeout;
  std::chrono::milliseconds lookup = msg::limits::egress_lookup_timeout;
  std::chrono::milliseconds dial = msg::limits::egress_dial_timeout;
  std::chrono::milliseconds idle = msg::limits::egress_idle_timeout;
  size_t connections = msg::limits::egress_connections_max;
};

struct egress_settings {
  egress_rules rules;
  egress_dependencies dependencies;
  /// Comes exactly once per attempt, when it is over; never after close().
  std::function<void(const connection_record&)> log;
  egress_bounds bounds;
};

/// The proxy of one guest. Lives on one thread, that of its executor.
class egress_proxy {
public:
  /// `listener`: a listening TCP socket, perhaps of another network namespace.
  egress_proxy(asio::any_io_executor executor, process::descriptor listener, egress_settings settings);
  egress_proxy(const egress_proxy&) = delete;
  egress_proxy& operator=(const egress_proxy&) = delete;
  ~egress_proxy();

  void start();
  /// Ends every connection at once and reports it. Also done by the destructor.
  void close();

private:
  class state;
  std::shared_ptr<state> state_;
};

} // namespace egress
