#include "openssl_library.hpp"

#include <dlfcn.h>

namespace http {

namespace {

/// The files of OpenSSL 3.0 and later, whose functions stay as they are.
constexpr auto tls_file = "libssl.so.3";
constexpr auto crypto_file = "libcrypto.so.3";

/// One of the two files, and the first thing that it did not have.
class openssl_file {
public:
  openssl_file(const char* name, std::string& problem) : name_(name), problem_(problem) {
    // Never closed: OpenSSL has functions of its own for the end of the process.
    library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library_ || !problem.empty())
      return;
    auto* why = ::dlerror();
    problem_ =
      std::string{name} + " can not be loaded (Debian: apt install libssl3): " + (why ? why : "no reason is told");
  }

  template <class Function>
  void find(const char* name, Function& into) {
    if (!library_)
      return;
    into = reinterpret_cast<Function>(::dlsym(library_, name));
    if (!into && problem_.empty())
      problem_ = std::string{name_} + " has no " + name;
  }

private:
  const char* name_;
  std::string& problem_;
  void* library_;
};

void find_all(libssl_functions& into, std::string& problem) {
  openssl_file from{tls_file, problem};
  from.find("TLS_server_method", into.server_method);
  from.find("SSL_CTX_new", into.ctx_new);
  from.find("SSL_CTX_free", into.ctx_free);
  from.find("SSL_CTX_ctrl", into.ctx_ctrl);
  from.find("SSL_CTX_set_options", into.ctx_set_options);
  from.find("SSL_CTX_set_alpn_select_cb", into.ctx_set_alpn_select_cb);
  from.find("SSL_CTX_use_certificate", into.ctx_use_certificate);
  from.find("SSL_CTX_use_PrivateKey", into.ctx_use_private_key);
  from.find("SSL_new", into.ssl_new);
  from.find("SSL_free", into.ssl_free);
  from.find("SSL_set_bio", into.ssl_set_bio);
  from.find("SSL_set_accept_state", into.ssl_set_accept_state);
  from.find("SSL_is_init_finished", into.ssl_is_init_finished);
  from.find("SSL_read_ex", into.ssl_read_ex);
  from.find("SSL_write_ex", into.ssl_write_ex);
  from.find("SSL_shutdown", into.ssl_shutdown);
  from.find("SSL_get_error", into.ssl_get_error);
}

void find_all(libcrypto_functions& into, std::string& problem) {
  openssl_file from{crypto_file, problem};
  from.find("BIO_s_mem", into.bio_s_mem);
  from.find("BIO_new", into.bio_new);
  from.find("BIO_new_mem_buf", into.bio_new_mem_buf);
  from.find("BIO_free", into.bio_free);
  from.find("BIO_read", into.bio_read);
  from.find("BIO_write", into.bio_write);
  from.find("BIO_ctrl_pending", into.bio_ctrl_pending);
  from.find("PEM_read_bio_X509", into.pem_read_bio_x509);
  from.find("PEM_read_bio_PrivateKey", into.pem_read_bio_private_key);
  from.find("X509_free", into.x509_free);
  from.find("X509_check_private_key", into.x509_check_private_key);
  from.find("X509_get0_notBefore", into.x509_get0_not_before);
  from.find("X509_get0_notAfter", into.x509_get0_not_after);
  from.find("X509_cmp_current_time", into.x509_cmp_current_time);
  from.find("ASN1_TIME_to_tm", into.asn1_time_to_tm);
  from.find("EVP_PKEY_free", into.evp_pkey_free);
  from.find("OPENSSL_cleanse", into.cleanse);
  from.find("ERR_clear_error", into.err_clear_error);
  from.find("ERR_peek_last_error", into.err_peek_last_error);
  from.find("ERR_reason_error_string", into.err_reason_error_string);
}

} // namespace

const openssl_library& load_openssl() {
  static const openssl_library library = [] {
    openssl_library out;
    find_all(out.tls, out.problem);
    find_all(out.crypto, out.problem);
    return out;
  }();
  return library;
}

std::string openssl_reason() {
  auto& crypto = load_openssl().crypto;
  auto* words = crypto.err_reason_error_string(crypto.err_peek_last_error());
  return words ? words : "no reason is told";
}

} // namespace http
