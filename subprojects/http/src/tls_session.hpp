// The server's side of one TLS connection: what comes in, what goes out, and no sockets.
#pragma once

#include "openssl_library.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace http {

/// The plain text of one record (RFC 8446, 5.1).
inline constexpr size_t tls_record_bytes_max = 16u << 10;

class tls_session {
public:
  struct reading {
    enum class kind {
      bytes,   ///< there may be more
      nothing, ///< feed() it
      ended,   ///< the client says that it sends no more
      failed   ///< the client does not speak TLS as it should; for good
    };
    kind what;
    size_t count = 0; ///< of bytes: at least one
  };

  /// Null: there is no memory. It holds the context.
  static std::unique_ptr<tls_session> make(SSL_CTX& context);

  /// Bytes from the client, all of which are kept until they are read: it is fed when read() gave `nothing`.
  void feed(std::string_view encrypted);
  /// Does the handshake, too. `to` is not empty.
  reading read(std::span<char> to);
  /// False: the handshake is not done, or the session has failed or ended.
  bool write(std::string_view plain);
  /// Says that nothing more is written. Nothing is.
  void end();
  /// What is to be sent to the client because of what was done until now.
  std::string take_output();
  /// The handshake is done.
  bool is_ready() const { return state_ != state::shaking && state_ != state::failed; }
  /// It has failed because the client speaks HTTP without TLS.
  bool met_plain_http() const { return met_plain_http_; }

private:
  enum class state { shaking, open, ended, failed };

  explicit tls_session(openssl_ptr<SSL> ssl, BIO* in, BIO* out) : ssl_(std::move(ssl)), in_(in), out_(out) {}
  reading fail();
  void collect();

  openssl_ptr<SSL> ssl_;
  BIO* in_;  ///< of ssl_
  BIO* out_; ///< of ssl_
  state state_ = state::shaking;
  bool met_plain_http_ = false;
  std::string output_;
};

} // namespace http
