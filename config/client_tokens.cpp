#include "config/client_tokens.hpp"

#include "text/digest.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <sys/random.h>

namespace config {

using msg::errc;
using msg::fault;
using sqlite::statement;

namespace {

constexpr sqlite::file_kind file_kind{"tokens of clients over HTTP",
                                      "tokens.db",
                                      0x63657470, // "cetp"
                                      1,
                                      "CREATE TABLE tokens (name BLOB PRIMARY KEY, digest BLOB NOT NULL, "
                                      "made_s INTEGER NOT NULL) WITHOUT ROWID;",
                                      sqlite::examination::whole,
                                      "; no token counts any more; `code-executor token new NAME` makes new ones"};

/// So that people and scanners of secrets know what it is.
constexpr std::string_view token_prefix = "cet_";
constexpr size_t token_random_bytes = 32;

/// Empty: the kernel gives no random bytes.
std::string new_token() {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv"; // 5 bits of each byte: 160 bits in all
  std::array<uint8_t, token_random_bytes> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return {};
  std::string out{token_prefix};
  for (auto byte : random)
    out += digits[byte % digits.size()];
  return out;
}

bool is_name(std::string_view text) {
  constexpr std::string_view marks = ".-_";
  auto fits = [marks](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  };
  return !text.empty() && text.size() <= client_token_name_bytes_max && std::all_of(text.begin(), text.end(), fits);
}

fault wrong_name(const std::string& name) {
  return {errc::invalid_argument,
          "'" + text::quoted(name, client_token_name_bytes_max) + "' can not be the name of a token: 1 to "
            + std::to_string(client_token_name_bytes_max) + " letters, digits, '.', '-' and '_' can"};
}

/// Without an early end, which would tell how far they agree.
bool is_same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

} // namespace

const client_token* find_token(const client_tokens_list& all, std::string_view token) {
  auto digest = text::sha256_of(token);
  const client_token* found = nullptr;
  for (auto& each : all)
    if (is_same(each.digest, digest))
      found = &each;
  return found;
}

client_tokens::client_tokens(const std::string& folder, sqlite::clock now)
  : shared_(folder, file_kind, now),
    now_(std::move(now)) {}

msg::outcome<std::string> client_tokens::make(const std::string& name) {
  if (!is_name(name))
    return wrong_name(name);
  auto token = new_token();
  if (token.empty())
    return fault{errc::internal, "the system gives no random bytes for a token; try again later"};
  return shared_.carry_out([&]() -> msg::outcome<std::string> {
    auto& db = shared_.db();
    statement count{db, "SELECT count(*), sum(name = ?) FROM tokens"};
    count.bind(name).row();
    if (count.integer(1) > 0)
      return fault{errc::invalid_argument, "there is a token with the name '" + name
                                             + "' already; `code-executor token revoke " + name + "` takes it back"};
    if (static_cast<size_t>(count.integer(0)) >= client_tokens_max)
      return fault{errc::limit_exceeded,
                   "there are " + std::to_string(client_tokens_max) + " tokens, which is the limit; revoke one first"};
    auto made_s = std::chrono::duration_cast<std::chrono::seconds>(now_().time_since_epoch()).count();
    statement insert{db, "INSERT INTO tokens (name, digest, made_s) VALUES (?, ?, ?)"};
    insert.bind(name).bind(text::sha256_of(token)).bind(int64_t{made_s}).run();
    return token;
  });
}

msg::outcome<client_tokens_list> client_tokens::list() {
  if (!shared_.exists())
    return client_tokens_list{};
  return shared_.carry_out([&]() -> msg::outcome<client_tokens_list> {
    client_tokens_list out;
    statement all{shared_.db(), "SELECT name, digest, made_s FROM tokens ORDER BY name"};
    while (all.row())
      out.push_back({std::string{all.text(0)}, std::string{all.text(1)}, all.integer(2)});
    return out;
  });
}

msg::outcome<bool> client_tokens::revoke(const std::string& name) {
  if (!shared_.exists())
    return false;
  return shared_.carry_out([&]() -> msg::outcome<bool> {
    statement remove{shared_.db(), "DELETE FROM tokens WHERE name = ?"};
    remove.bind(name).run();
    return shared_.db().changes() > 0;
  });
}

} // namespace config
