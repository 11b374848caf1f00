// What all TLS connections of one server have in common.
#pragma once

#include "http/server.hpp"
#include "openssl_library.hpp"

#include <string>

namespace http {

struct opened_tls {
  openssl_ptr<SSL_CTX> value; ///< null: there is a problem
  std::string problem;        ///< of opened_server
  std::string warning;        ///< likewise
};

/// Reads the files. TLS 1.2 and 1.3, with the ciphers that OpenSSL, or what the system has set for it, takes for good;
/// HTTP/1.1 only, if the client names protocols; no renegotiation, no compression, no early data. Sessions are resumed
/// by tickets: nothing is kept of them here.
opened_tls open_tls(const tls_files& files);

} // namespace http
