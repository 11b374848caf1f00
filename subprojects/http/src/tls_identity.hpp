// The certificate of a server and its key, as they are in files.
#pragma once

#include "http/server.hpp"
#include "openssl_library.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace http {

/// Of each file: more than any chain that clients take (OpenSSL's take 100 KiB), and little enough to be read at once.
inline constexpr size_t pem_file_bytes_max = 256u << 10;

struct tls_identity {
  std::vector<openssl_ptr<X509>> chain; ///< the server's own first
  openssl_ptr<EVP_PKEY> key;
  std::string
    problem; ///< one sentence without a full stop, with the file's name and nothing that is in it; empty: none
  std::string warning; ///< likewise: clients will not take the certificate today
};

/// OpenSSL has to be there.
tls_identity read_identity(const tls_files& files);

} // namespace http
