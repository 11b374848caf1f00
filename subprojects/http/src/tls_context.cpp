#include "tls_context.hpp"

#include "tls_identity.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace http {

namespace {

/// RFC 7301, 3.2: who names protocols, and ours is none of them, is told that there is none.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_bytes, const unsigned char* offered,
                    unsigned int offered_bytes, void*) noexcept {
  constexpr std::string_view ours = "http/1.1";
  std::string_view rest{reinterpret_cast<const char*>(offered), offered_bytes};
  while (!rest.empty()) {
    auto name = rest.substr(1, static_cast<unsigned char>(rest.front()));
    if (name == ours) {
      *chosen = reinterpret_cast<const unsigned char*>(name.data());
      *chosen_bytes = static_cast<unsigned char>(name.size());
      return SSL_TLSEXT_ERR_OK;
    }
    rest.remove_prefix(1 + name.size());
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void set_rules(SSL_CTX* of) {
  auto& tls = load_openssl().tls;
  tls.ctx_ctrl(of, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr);
  tls.ctx_ctrl(of, SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_3_VERSION, nullptr);
  tls.ctx_set_options(of, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // Without it a connection that is idle holds 34 KiB for records.
  tls.ctx_ctrl(of, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, nullptr);
  tls.ctx_ctrl(of, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, nullptr);
  tls.ctx_set_alpn_select_cb(of, choose_protocol, nullptr);
}

/// False: OpenSSL knows why not.
bool use(SSL_CTX* context, const tls_identity& own) {
  auto& tls = load_openssl().tls;
  if (tls.ctx_use_certificate(context, own.chain.front().get()) != 1
      || tls.ctx_use_private_key(context, own.key.get()) != 1)
    return false;
  constexpr long shared = 1; // and not given away
  for (size_t i = 1; i < own.chain.size(); ++i)
    if (tls.ctx_ctrl(context, SSL_CTRL_CHAIN_CERT, shared, own.chain[i].get()) != 1)
      return false;
  return true;
}

} // namespace

opened_tls open_tls(const tls_files& files) {
  auto& library = load_openssl();
  opened_tls out;
  out.problem = library.problem;
  if (!out.problem.empty())
    return out;
  auto own = read_identity(files);
  out.problem = std::move(own.problem);
  out.warning = std::move(own.warning);
  if (!out.problem.empty())
    return out;
  library.crypto.err_clear_error();
  openssl_ptr<SSL_CTX> context{library.tls.ctx_new(library.tls.server_method())};
  if (!context) {
    out.problem = "OpenSSL can not be used: " + openssl_reason();
    return out;
  }
  set_rules(context.get());
  if (use(context.get(), own))
    out.value = std::move(context);
  else
    out.problem = fmt::format("the certificate in {} with the key in {} is not taken by OpenSSL: {}",
                              files.certificate_file, files.key_file, openssl_reason());
  library.crypto.err_clear_error();
  return out;
}

} // namespace http
