// Certificates and keys for tests, in files of a folder that is removed with them.
#pragma once

#include "http/server.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace http_server_test {

struct openssl_end {
  void operator()(EVP_PKEY* of) const { EVP_PKEY_free(of); }
  void operator()(X509* of) const { X509_free(of); }
  void operator()(BIO* of) const { BIO_free(of); }
};
template <class Type>
using made_ptr = std::unique_ptr<Type, openssl_end>;

inline std::string text_of(BIO* written) {
  char* at = nullptr;
  auto count = BIO_get_mem_data(written, &at);
  return {at, static_cast<size_t>(count)};
}

inline made_ptr<EVP_PKEY> new_key() { return made_ptr<EVP_PKEY>{EVP_EC_gen("P-256")}; }

/// PEM. `passphrase` empty: not encrypted.
inline std::string pem_of(EVP_PKEY* key, std::string passphrase = "") {
  made_ptr<BIO> to{BIO_new(BIO_s_mem())};
  auto* cipher = passphrase.empty() ? nullptr : EVP_aes_128_cbc();
  PEM_write_bio_PKCS8PrivateKey(to.get(), key, cipher, passphrase.data(), static_cast<int>(passphrase.size()), nullptr,
                                nullptr);
  return text_of(to.get());
}

/// A certificate by itself, in PEM; good from so many days from now to so many.
inline std::string certificate_of(EVP_PKEY* key, int from_day = -1, int to_day = 1) {
  constexpr long day = 86'400;
  made_ptr<X509> made{X509_new()};
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from_day * day);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), to_day * day);
  X509_set_pubkey(made.get(), key);
  auto* name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  X509_sign(made.get(), key, EVP_sha256());
  made_ptr<BIO> to{BIO_new(BIO_s_mem())};
  PEM_write_bio_X509(to.get(), made.get());
  return text_of(to.get());
}

class tls_folder {
public:
  tls_folder() {
    auto name = (std::filesystem::temp_directory_path() / "http_tls_test.XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error{"no folder for the certificates"};
    path_ = name;
  }
  tls_folder(const tls_folder&) = delete;
  tls_folder& operator=(const tls_folder&) = delete;
  ~tls_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name) const { return path_ / name; }
  std::string file(const std::string& name, std::string_view text) const {
    std::ofstream{path(name)} << text;
    return path(name);
  }
  /// A certificate that is good today, and its key.
  http::tls_files usual() const {
    auto key = new_key();
    return {file("certificate.pem", certificate_of(key.get())), file("key.pem", pem_of(key.get()))};
  }

private:
  std::filesystem::path path_;
};

} // namespace http_server_test
