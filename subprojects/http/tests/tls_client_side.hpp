// The client's side of TLS, in memory: what the tests have in place of a browser.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace http_server_test {

class tls_client_side {
public:
  struct wishes {
    int version_max = TLS1_3_VERSION;
    std::string protocols{}; ///< of ALPN, each with its length in front
  };

  tls_client_side() : tls_client_side(wishes{}) {}
  explicit tls_client_side(const wishes& how) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), how.version_max);
    if (how.version_max < TLS1_2_VERSION) // which OpenSSL only lets those have who want no security
      SSL_CTX_set_cipher_list(context_.get(), "DEFAULT:@SECLEVEL=0");
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(how.protocols.data()),
                            static_cast<unsigned>(how.protocols.size()));
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl_.get());
    SSL_do_handshake(ssl_.get());
  }

  /// Bytes from the server; what they mean is in `received`, `has_ended`, `problem`.
  void feed(std::string_view encrypted) {
    BIO_write(SSL_get_rbio(ssl_.get()), encrypted.data(), static_cast<int>(encrypted.size()));
    std::array<char, 16u << 10> buffer;
    for (;;) {
      ERR_clear_error();
      size_t count = 0;
      auto done = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &count);
      if (done != 1)
        return note(SSL_get_error(ssl_.get(), done));
      received.append(buffer.data(), count);
    }
  }
  /// After the handshake.
  void write(std::string_view plain) {
    size_t count = 0;
    ERR_clear_error();
    if (!plain.empty() && SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &count) != 1)
      note(SSL_ERROR_SSL);
  }
  /// Bytes for the server.
  std::string take_output() {
    std::string out(BIO_ctrl_pending(SSL_get_wbio(ssl_.get())), ' ');
    if (!out.empty())
      BIO_read(SSL_get_wbio(ssl_.get()), out.data(), static_cast<int>(out.size()));
    return out;
  }
  bool is_ready() const { return SSL_is_init_finished(ssl_.get()) == 1; }
  std::string version() const { return SSL_get_version(ssl_.get()); }
  std::string protocol() const {
    const unsigned char* at = nullptr;
    unsigned count = 0;
    SSL_get0_alpn_selected(ssl_.get(), &at, &count);
    return {reinterpret_cast<const char*>(at), count};
  }
  /// And asks the server to do so. After the handshake.
  void change_keys() {
    SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(ssl_.get());
  }
  SSL* ssl() { return ssl_.get(); }

  std::string received;
  bool has_ended = false; ///< the server said that it sends no more
  std::string problem;    ///< what went wrong

private:
  void note(int why) {
    has_ended |= why == SSL_ERROR_ZERO_RETURN;
    if (why == SSL_ERROR_SSL && problem.empty())
      if (auto* words = ERR_reason_error_string(ERR_peek_error()))
        problem = words;
  }

  struct end {
    void operator()(SSL_CTX* of) const { SSL_CTX_free(of); }
    void operator()(SSL* of) const { SSL_free(of); }
  };
  std::unique_ptr<SSL_CTX, end> context_;
  std::unique_ptr<SSL, end> ssl_;
};

} // namespace http_server_test
