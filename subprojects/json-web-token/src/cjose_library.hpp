// libcjose, loaded when a token is verified first: linked, it and OpenSSL below it would cost every start of a program
// that has no issuer.
#pragma once

#include <cjose/cjose.h>

#include <string>

namespace json_web_token {

/// What is used of it; the names are libcjose's.
struct cjose_library {
  decltype(&::cjose_jwk_import) jwk_import = nullptr;
  decltype(&::cjose_jwk_release) jwk_release = nullptr;
  decltype(&::cjose_jws_import) jws_import = nullptr;
  decltype(&::cjose_jws_verify) jws_verify = nullptr;
  decltype(&::cjose_jws_release) jws_release = nullptr;

  /// Why it can not be used; empty: it can.
  std::string problem;
};

/// Loads it when it is called first, and keeps it to the end of the process.
const cjose_library& load_cjose();

} // namespace json_web_token
