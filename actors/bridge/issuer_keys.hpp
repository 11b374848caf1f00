// The issuer of tokens that clients over HTTP may have: its keys, fetched when they are needed and anew when it signs
// by one that is not known, and the verdict on a token.
#pragma once

#include "http/client.hpp"
#include "json_web_token/verify.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace bridge {

/// Whose token it is, and until when.
struct token_bearer {
  std::string name;      ///< empty: the token does not count
  int64_t expires_s = 0; ///< since 1970
  std::string why;       ///< it does not count: for the client
};

class issuer_keys : public std::enable_shared_from_this<issuer_keys> {
public:
  issuer_keys(asio::any_io_executor executor, std::shared_ptr<http::client> client, json_web_token::rules wanted);

  /// Fetches the keys, if they are not being fetched and it was not done a moment ago.
  void refresh();
  /// A token that is signed by an unknown key does not count now; its keys are fetched meanwhile.
  token_bearer bearer_of(std::string_view token);
  const std::string& issuer() const { return wanted_.issuer; }
  const std::string& audience() const { return wanted_.audience; }

private:
  asio::awaitable<void> fetch();
  asio::awaitable<std::string> find_keys_url();
  asio::awaitable<std::string> get(std::string url);
  void remember(std::string digest, const token_bearer& bearer);

  asio::any_io_executor executor_;
  std::shared_ptr<http::client> client_;
  json_web_token::rules wanted_;
  json_web_token::key_set keys_;
  std::map<std::string, token_bearer, std::less<>> known_; ///< by digest, of tokens that count
  std::chrono::steady_clock::time_point fetched_ = {};     ///< when it was tried last
  bool is_fetching_ = false;
};

/// What a client is told of who gives tokens for us (RFC 9728), as JSON.
std::string protected_resource_text(const issuer_keys& issuer);

} // namespace bridge
