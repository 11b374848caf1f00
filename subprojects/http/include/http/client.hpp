// An HTTP client on the program's own thread: every request of the process shares one pool of connections (libcurl's
// multi handle, driven by asio; HTTP/2 where a server offers it with TLS).
//
// What it never does: send a body twice (the other side may have carried it out), follow a redirect (the key in the
// headers would travel), decompress (a small answer stays small), speak anything but http and https, keep cookies.
// Names are looked up by a thread of libcurl's, because getaddrinfo blocks. Proxies are those of the environment, as
// curl reads them: `http_proxy` (in small letters only), `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`. Whom TLS trusts is the
// system's choice (`/etc/ssl/certs`), unless the options name a file.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace http {

/// Connections of one client that are open at once, to all servers; further requests wait for one, within their
/// total_timeout. Each takes two descriptors. With HTTP/2 a hundred requests share one. Of servers that use all that
/// they may have it takes eight to leave none for others.
inline constexpr long client_connections_max = 512;
/// To one server: one that is slow leaves room for others. Servers of HTTP/1.1 rarely work on more requests at once.
inline constexpr long client_host_connections_max = 64;
/// Connections kept for later while no request uses them.
inline constexpr long client_idle_connections_max = 16;
/// The head of an answer, with what follows its body, and the fields in it: what common servers send at most.
inline constexpr size_t client_head_bytes_max = 64u << 10;
inline constexpr size_t client_fields_max = 200;
/// A body as it is sent, with what frames it, may have so many times the bytes that it may have itself
/// (response_bytes_max) and these: a chunk takes 6 bytes and what it holds, some 100 bytes in streams of common
/// servers.
inline constexpr size_t client_framing_factor_max = 2;
inline constexpr size_t client_framing_bytes_max = 64u << 10;

struct header {
  std::string name; ///< of an answer: in small letters
  std::string value;
};
using headers = std::vector<header>;

/// The value of the first header of that name, which is in small letters; empty: there is none.
std::string_view find_header(const headers& in, std::string_view name);
/// The values of all of that name as one, as RFC 9110, 5.3, joins them.
std::string join_headers(const headers& in, std::string_view name);

/// Each time is at least 1 ms.
struct client_request {
  std::string method = "GET";
  std::string url; ///< http or https. Never told in a message: it may have a key in it
  headers fields;
  std::string body;
  std::chrono::milliseconds connect_timeout{10'000}; ///< looking up the name, connecting, TLS
  /// From the request being sent to the first byte of its answer.
  std::chrono::milliseconds first_byte_timeout{120'000};
  /// From start() to the end; also while paused or waiting for a connection.
  std::chrono::milliseconds total_timeout{300'000};
  size_t response_bytes_max = 16u << 20; ///< of the body, streamed or not
};

enum class client_failure : uint8_t {
  none,    ///< there is an answer, whatever its status
  resolve, ///< no such name, or no name server to ask for it; also of a proxy
  connect, ///< no server listens there, or not within connect_timeout
  tls,     ///< no secure connection; the certificate is not trusted
  timeout_first_byte,
  timeout,   ///< total_timeout
  too_large, ///< the body or the head; see response_bytes_max
  framing, ///< most of what was sent only frames a body: its pieces (see client_framing_factor_max), or what follows it
  cut,     ///< the connection ended before the answer did
  cancelled,
  no_memory, ///< here, for the answer or for the request
  other,     ///< the request can not be sent as it is, or what answers does not speak HTTP
};

std::string_view to_string(client_failure failure);

struct client_result {
  uint16_t status = 0; ///< 0: there was no head
  headers fields;
  std::string body; ///< empty when it was given to on_data. Of a failed request: what came of it
  client_failure failure = client_failure::none;
  bool was_sent = false; ///< the whole request: the other side may have read it, whatever came of it
  std::string message;   ///< what failed, for a person: names the host, no path, no header, no key

  bool ok() const { return failure == client_failure::none; }
};

/// All are called on the loop's thread, never from inside start(), cancel(), pause() or resume(). They may do with the
/// client and its requests what they like, also destroy it. One that throws ends its request, and no other one: with
/// `no_memory` for std::bad_alloc, else with `other`. What on_end throws is dropped.
struct client_handlers {
  /// Once, before the body; not for 1xx. May be empty.
  std::function<void(uint16_t status, const headers& fields)> on_head;
  /// Some of the body (at most 16 KiB, not empty), as soon as it is there. Empty: the body is collected for the result.
  std::function<void(std::string_view bytes)> on_data;
  /// Exactly once, and nothing after it.
  std::function<void(client_result)> on_end;
};

class client_transfer;

/// One request that was started. Dropping it changes nothing; with a request that has ended nothing happens.
class client_handle {
public:
  client_handle() = default;
  /// No more on_head or on_data; on_end comes soon, with `cancelled` unless the end was there already.
  void cancel();
  /// No more on_data until resume(): the rest stays with the sender, but for what the connection holds. on_end may
  /// come, if there is no rest.
  void pause();
  void resume();
  /// It has a connection, and begins to leave, or has ended. False: the other side has seen nothing of it yet.
  bool has_left() const;

private:
  friend class client;
  explicit client_handle(std::weak_ptr<client_transfer> transfer) : transfer_(std::move(transfer)) {}
  std::weak_ptr<client_transfer> transfer_;
};

struct client_options {
  std::string ca_file;    ///< certificates to trust, instead of the system's; empty: the system's
  std::string user_agent; ///< "program/1.0"; empty: no such header
};

/// Lives on the thread of its loop, and not longer than it. Costs nothing before its first request, which loads libcurl
/// (7 ms).
class client {
public:
  explicit client(asio::io_context& io, client_options options = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  /// Ends what is open with `cancelled`, from inside; no handler is called afterwards.
  ~client();

  client_handle start(client_request request, client_handlers handlers);
  /// The same for a coroutine: the whole answer. Cancelling the coroutine (terminal) cancels the request.
  asio::awaitable<client_result> fetch(client_request request);

private:
  class core;
  std::shared_ptr<core> core_;
};

} // namespace http
