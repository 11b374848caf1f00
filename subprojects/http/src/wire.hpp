// The bytes of one connection, whether they go as they are (plain_wire.hpp) or encrypted (tls_wire.hpp).
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace http {

/// One read and one write at a time. Handlers are called once, from the loop, never from inside a call of this; they
/// belong to the loop, and end with it. What was waited for when the wire is parted with or closed has failed.
class wire {
public:
  using handler = std::function<void(asio::error_code, size_t)>;
  using buffers = std::vector<asio::const_buffer>;

  virtual ~wire() = default;
  virtual asio::any_io_executor get_executor() = 0;
  /// What stands before the first byte of the client's has been done: a handshake.
  virtual bool is_ready() const = 0;
  /// Bytes of the client's, at least one; or none, and no error: it has become ready. The error is not_understood() if
  /// the client does not speak as it should. `to` has to stay until then.
  virtual void read_some(asio::mutable_buffer to, handler then) = 0;
  /// Tells how much of it was taken by the system: at least one byte. `from` has to stay until then.
  virtual void write_some(const buffers& from, handler then) = 0;
  /// Sends a small text, of which what the system does not take at once may be lost. Not while something is written.
  virtual void write_now(std::string_view text) = 0;
  /// The last words and the end of what is sent; nothing can be done with the wire any more. What is given is the
  /// socket, whose client may still be sending; none: the system did not take everything at once, and it is closed.
  virtual std::optional<asio::ip::tcp::socket> part(std::string_view last_words) = 0;
  /// Without words. The client can see that it was meant, as far as that costs no wait.
  virtual void close() = 0;
  /// Breaks it off: what the system still holds is dropped, and the client can see that it does not have everything.
  virtual void reset() = 0;
};

inline asio::error_code not_understood() { return std::make_error_code(std::errc::protocol_error); }

/// Of a wire: the end of its socket. None: it is closed.
std::optional<asio::ip::tcp::socket> end_sending(asio::ip::tcp::socket& of);
/// Of a wire, likewise: closes it so that nothing more is sent.
void reset_socket(asio::ip::tcp::socket& of);

} // namespace http
