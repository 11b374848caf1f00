// A connection of TLS.
#pragma once

#include "tls_session.hpp"
#include "wire.hpp"

#include <array>
#include <memory>
#include <string>

namespace http {

/// So much is read of the socket at once: a whole record, with what is around it.
inline constexpr size_t tls_read_bytes_max = tls_record_bytes_max + 512;
/// So much is encrypted at once, and has to be taken by the system before more is: four records, for which the loop is
/// held for some 50 us, and of which it is not much to keep a copy.
inline constexpr size_t tls_write_bytes_max = 4 * tls_record_bytes_max;
/// What may wait for the system: a whole chain of certificates, and what was encrypted at once. More is only there if a
/// client asks for new keys again and again, and does not read that it has them.
inline constexpr size_t tls_unsent_bytes_max = 512u << 10;

class tls_wire final : public wire, public std::enable_shared_from_this<tls_wire> {
public:
  tls_wire(asio::ip::tcp::socket socket, std::unique_ptr<tls_session> session);

  asio::any_io_executor get_executor() override { return socket_.get_executor(); }
  bool is_ready() const override { return session_->is_ready(); }
  void read_some(asio::mutable_buffer to, handler then) override;
  void write_some(const buffers& from, handler then) override;
  void write_now(std::string_view text) override;
  /// Who speaks HTTP without TLS is told so, without TLS.
  std::optional<asio::ip::tcp::socket> part(std::string_view last_words) override;
  void close() override;
  void reset() override { reset_socket(socket_); }

private:
  void receive(asio::mutable_buffer to, handler then);
  void read_session(asio::mutable_buffer to, handler then);
  asio::error_code send_own();
  asio::error_code send_some();
  void send_rest(size_t count, handler then);
  void gather();

  asio::ip::tcp::socket socket_;
  std::unique_ptr<tls_session> session_;
  std::array<char, tls_read_bytes_max> input_;
  bool may_have_more_ = false; ///< the session, of what it was fed
  bool sending_ = false;       ///< send_own() waits
  std::string output_;         ///< encrypted
  size_t sent_bytes_ = 0;      ///< of output_
};

} // namespace http
