// OpenSSL, loaded by the first server that speaks TLS. Linked, it would cost every start of the program 1.3 ms, also of
// those that serve nobody.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace http {

/// What is used of libssl; the names are its own, with `ctx_` for SSL_CTX_ and `ssl_` for SSL_.
struct libssl_functions {
  decltype(&::TLS_server_method) server_method = nullptr;
  decltype(&::SSL_CTX_new) ctx_new = nullptr;
  decltype(&::SSL_CTX_free) ctx_free = nullptr;
  decltype(&::SSL_CTX_ctrl) ctx_ctrl = nullptr;
  decltype(&::SSL_CTX_set_options) ctx_set_options = nullptr;
  decltype(&::SSL_CTX_set_alpn_select_cb) ctx_set_alpn_select_cb = nullptr;
  decltype(&::SSL_CTX_use_certificate) ctx_use_certificate = nullptr;
  decltype(&::SSL_CTX_use_PrivateKey) ctx_use_private_key = nullptr;
  decltype(&::SSL_new) ssl_new = nullptr;
  decltype(&::SSL_free) ssl_free = nullptr;
  decltype(&::SSL_set_bio) ssl_set_bio = nullptr;
  decltype(&::SSL_set_accept_state) ssl_set_accept_state = nullptr;
  decltype(&::SSL_is_init_finished) ssl_is_init_finished = nullptr;
  decltype(&::SSL_read_ex) ssl_read_ex = nullptr;
  decltype(&::SSL_write_ex) ssl_write_ex = nullptr;
  decltype(&::SSL_shutdown) ssl_shutdown = nullptr;
  decltype(&::SSL_get_error) ssl_get_error = nullptr;
};

/// Likewise of libcrypto.
struct libcrypto_functions {
  decltype(&::BIO_s_mem) bio_s_mem = nullptr;
  decltype(&::BIO_new) bio_new = nullptr;
  decltype(&::BIO_new_mem_buf) bio_new_mem_buf = nullptr;
  decltype(&::BIO_free) bio_free = nullptr;
  decltype(&::BIO_read) bio_read = nullptr;
  decltype(&::BIO_write) bio_write = nullptr;
  decltype(&::BIO_ctrl_pending) bio_ctrl_pending = nullptr;
  decltype(&::PEM_read_bio_X509) pem_read_bio_x509 = nullptr;
  decltype(&::PEM_read_bio_PrivateKey) pem_read_bio_private_key = nullptr;
  decltype(&::X509_free) x509_free = nullptr;
  decltype(&::X509_check_private_key) x509_check_private_key = nullptr;
  decltype(&::X509_get0_notBefore) x509_get0_not_before = nullptr;
  decltype(&::X509_get0_notAfter) x509_get0_not_after = nullptr;
  decltype(&::X509_cmp_current_time) x509_cmp_current_time = nullptr;
  decltype(&::ASN1_TIME_to_tm) asn1_time_to_tm = nullptr;
  decltype(&::EVP_PKEY_free) evp_pkey_free = nullptr;
  decltype(&::OPENSSL_cleanse) cleanse = nullptr;
  decltype(&::ERR_clear_error) err_clear_error = nullptr;
  decltype(&::ERR_peek_last_error) err_peek_last_error = nullptr;
  decltype(&::ERR_reason_error_string) err_reason_error_string = nullptr;
};

struct openssl_library {
  libssl_functions tls;
  libcrypto_functions crypto;
  /// Why it can not be used; empty: it can.
  std::string problem;
};

/// Loads it when it is called first, and keeps it to the end of the process.
const openssl_library& load_openssl();

/// What OpenSSL says of its last error: a few words of its own, which repeat nothing of what it was given.
std::string openssl_reason();

/// Ends what load_openssl() has made.
struct openssl_free {
  void operator()(SSL_CTX* of) const { load_openssl().tls.ctx_free(of); }
  void operator()(SSL* of) const { load_openssl().tls.ssl_free(of); }
  void operator()(BIO* of) const { load_openssl().crypto.bio_free(of); }
  void operator()(X509* of) const { load_openssl().crypto.x509_free(of); }
  void operator()(EVP_PKEY* of) const { load_openssl().crypto.evp_pkey_free(of); }
};
template <class Type>
using openssl_ptr = std::unique_ptr<Type, openssl_free>;

} // namespace http
