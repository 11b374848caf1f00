#include "tls_session.hpp"

#include <openssl/sslerr.h>

#include <utility>

namespace http {

std::unique_ptr<tls_session> tls_session::make(SSL_CTX& context) {
  auto& library = load_openssl();
  openssl_ptr<SSL> ssl{library.tls.ssl_new(&context)};
  openssl_ptr<BIO> in{library.crypto.bio_new(library.crypto.bio_s_mem())};
  openssl_ptr<BIO> out{library.crypto.bio_new(library.crypto.bio_s_mem())};
  if (!ssl || !in || !out)
    return nullptr;
  library.tls.ssl_set_accept_state(ssl.get());
  auto* from = in.release();
  auto* to = out.release();
  library.tls.ssl_set_bio(ssl.get(), from, to);
  return std::unique_ptr<tls_session>{new tls_session{std::move(ssl), from, to}};
}

void tls_session::feed(std::string_view encrypted) {
  auto taken = load_openssl().crypto.bio_write(in_, encrypted.data(), static_cast<int>(encrypted.size()));
  if (taken != static_cast<int>(encrypted.size()) && !encrypted.empty())
    fail();
}

tls_session::reading tls_session::read(std::span<char> to) {
  using kind = reading::kind;
  if (state_ == state::failed)
    return {kind::failed};
  auto& library = load_openssl();
  library.crypto.err_clear_error(); // of others: it is the thread's
  size_t count = 0;
  auto done = library.tls.ssl_read_ex(ssl_.get(), to.data(), to.size(), &count);
  auto why = done == 1 ? SSL_ERROR_NONE : library.tls.ssl_get_error(ssl_.get(), done);
  if (state_ == state::shaking && library.tls.ssl_is_init_finished(ssl_.get()) == 1)
    state_ = state::open;
  switch (why) {
    case SSL_ERROR_NONE: return {kind::bytes, count};
    case SSL_ERROR_WANT_READ: return {kind::nothing};
    case SSL_ERROR_ZERO_RETURN: return {kind::ended};
    default: return fail();
  }
}

tls_session::reading tls_session::fail() {
  auto& library = load_openssl();
  met_plain_http_ =
    state_ == state::shaking && ERR_GET_REASON(library.crypto.err_peek_last_error()) == SSL_R_HTTP_REQUEST;
  state_ = state::failed;
  library.crypto.err_clear_error();
  return {reading::kind::failed};
}

/// Record by record: what OpenSSL writes to has the size of the most that it ever had.
bool tls_session::write(std::string_view plain) {
  auto& library = load_openssl();
  while (!plain.empty()) {
    if (state_ != state::open)
      return false;
    auto part = plain.substr(0, tls_record_bytes_max);
    size_t written = 0;
    library.crypto.err_clear_error();
    if (library.tls.ssl_write_ex(ssl_.get(), part.data(), part.size(), &written) != 1) {
      fail();
      return false;
    }
    collect();
    plain.remove_prefix(written);
  }
  return true;
}

void tls_session::end() {
  if (state_ != state::open)
    return;
  state_ = state::ended;
  auto& library = load_openssl();
  library.crypto.err_clear_error();
  library.tls.ssl_shutdown(ssl_.get());
  library.crypto.err_clear_error();
}

void tls_session::collect() {
  auto& library = load_openssl();
  auto count = library.crypto.bio_ctrl_pending(out_);
  if (count == 0)
    return;
  auto before = output_.size();
  output_.resize(before + count);
  library.crypto.bio_read(out_, output_.data() + before, static_cast<int>(count));
}

std::string tls_session::take_output() {
  collect();
  return std::exchange(output_, {});
}

} // namespace http
