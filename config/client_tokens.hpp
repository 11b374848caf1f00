// Who may use this server over HTTP: a token for each client, of which only the digest is kept.
#pragma once

#include "messages/errors.hpp"
#include "process/shared_database.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Who has more clients wants an issuer of tokens.
inline constexpr size_t client_tokens_max = 1'000;
/// Of a name: letters, digits, '.', '-', '_'.
inline constexpr size_t client_token_name_bytes_max = 64;

/// One that was given out and is not revoked.
struct client_token {
  std::string name;
  std::string digest; ///< SHA-256 of the token, in hexadecimal digits
  int64_t made_s = 0; ///< since 1970
};
using client_tokens_list = std::vector<client_token>;

/// Which one it is, in a time that does not depend on it; null: none of them.
const client_token* find_token(const client_tokens_list& all, std::string_view token);

/// The file `tokens.db` in the state folder. One thread at a time; any call may wait for the disk.
class client_tokens {
public:
  explicit client_tokens(const std::string& folder, sqlite::clock now = std::chrono::system_clock::now);

  /// A new one, which is told this once. The fault says what is wrong with the name, or that it has one.
  msg::outcome<std::string> make(const std::string& name);
  /// In order of name. None if there is no file yet.
  msg::outcome<client_tokens_list> list();
  /// False: there is none of that name.
  msg::outcome<bool> revoke(const std::string& name);
  /// The file was damaged and put aside: what a person should know, once. Empty: nothing.
  std::string take_warning() { return shared_.take_warning(); }

private:
  process::shared_database shared_;
  sqlite::clock now_;
};

} // namespace config
