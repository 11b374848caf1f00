#include "config/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>

namespace config {

namespace {

/// How keys and tokens begin: OpenAI, Anthropic and Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, JSON
/// Web Tokens, PEM.
constexpr std::array<std::string_view, 18> beginnings{
  "sk-",  "sk_",  "ghp_", "gho_",  "ghu_", "ghs_", "github_pat_", "glpat-",  "xox",
  "AKIA", "ASIA", "AIza", "ya29.", "hf_",  "npm_", "eyJ",         "Bearer ", "-----BEGIN "};
/// What they stand behind, beside the beginning of a text: they are parts of URLs, of JSON, and of pairs of any kind.
constexpr std::string_view before_beginnings = "/=: ,\"'?&;{[(";

/// In names of variables and options, in capitals.
constexpr std::array<std::string_view, 10> words{"KEY",           "TOKEN",      "SECRET", "PASS",    "_PWD",
                                                 "AUTHORIZATION", "CREDENTIAL", "COOKIE", "PRIVATE", "DSN"};
constexpr std::array<std::string_view, 3> places{"PATH", "FILE", "DIR"};
constexpr std::array<std::string_view, 5> words_of_passwords{"PASS", "PWD", "_PW_", "_MNEMONIC_", "_SEED_PHRASE_"};

/// In what words_in() makes of a name: words that are a part of too many others (`PAT` of PATH, `AUTH` of AUTHOR), and
/// of things that are no secrets.
constexpr std::array<std::string_view, 21> whole_words{"_PAT_",
                                                       "_PW_",
                                                       "_JWT_",
                                                       "_BEARER_",
                                                       "_CONNECTION_STRING_",
                                                       "_CONN_STR_",
                                                       "_CONNECTIONSTRING_",
                                                       "_WEBHOOK_",
                                                       "_WEBHOOKURL_",
                                                       "_BASICAUTH_",
                                                       "_SIG_",
                                                       "_SIGNATURE_",
                                                       "_SALT_",
                                                       "_SESSION_ID_",
                                                       "_CREDS_",
                                                       "_AUTH_HEADER_",
                                                       "_OTP_SEED_",
                                                       "_ENCRYPTION_SEED_",
                                                       "_ACCESS_CODE_",
                                                       "_MNEMONIC_",
                                                       "_SEED_PHRASE_"};
constexpr std::array<std::string_view, 3> last_words{"_AUTH_", "_PWD_", "_HMAC_"};
/// Their values are words.
constexpr std::array<std::string_view, 2> words_of_phrases{"_MNEMONIC_", "_SEED_PHRASE_"};
/// Options that NAME:PASSWORD follows, as of curl.
constexpr std::array<std::string_view, 4> options_of_users{"-u", "-U", "--user", "--proxy-user"};
/// The same in the midst of a text, where `monkey:` and `valkey:` are names too.
constexpr std::array<std::string_view, 18> words_of_pairs{
  "TOKEN_",      "SECRET_",  "PASSWORD_",   "PASSWD_",    "PASSPHRASE_",    "_PASS_",
  "_KEY_",       "_KEYS_",   "APIKEY_",     "ACCESSKEY_", "ACCOUNTKEY_",    "SECRETKEY_",
  "PRIVATEKEY_", "AUTHKEY_", "CREDENTIAL_", "COOKIE_",    "AUTHORIZATION_", "_DSN_"};

/// Where a secret has parts, and how those look that are secrets by themselves and not words: by their length, or by a
/// digit among letters.
constexpr std::string_view part_ends = " \t\r\n\"'{}[]()?&=@:/,;";
constexpr size_t part_bytes_min = 8, long_part_bytes_min = 16;

/// Between the words of names of programs, hosts and files; between the parts of paths and URLs.
constexpr std::string_view part_word_ends = " -_.~+", place_part_ends = "/\\:?&=#@,;";
/// Longer ones are no words, nor are those with more capitals.
constexpr size_t word_bytes_max = 16, hump_bytes_min = 4;
/// At the end of a word in a path or URL: `python3`, `node-18`, `2024`.
constexpr size_t word_digits_max = 4;

constexpr std::string_view digits = "0123456789";
constexpr std::string_view url_ends = " \t\r\n";
constexpr size_t port_digits_max = 5;

enum class numbers : uint8_t { none, few };

/// Letters alone, as in `word`, `Word`, `WORD` and `manyWordsInOne`.
bool is_word(std::string_view text) {
  size_t humps = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i])) == 0)
      return false;
    humps += i > 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0
                 && std::isupper(static_cast<unsigned char>(text[i])) != 0
               ? 1
               : 0;
  }
  return text.size() < word_bytes_max * humps && (humps == 1 || text.size() >= hump_bytes_min * humps);
}

bool are_words(std::string_view text, numbers allowed) {
  while (!text.empty()) {
    auto word = text.substr(0, text.find_first_of(part_word_ends));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    for (size_t n = 0;
         allowed == numbers::few && n < word_digits_max && !word.empty() && digits.find(word.back()) != digits.npos;
         ++n)
      word.remove_suffix(1);
    if (!is_word(word))
      return false;
  }
  return true;
}

/// Of a path or a URL.
bool are_places(std::string_view text) {
  while (!text.empty()) {
    auto part = text.substr(0, text.find_first_of(place_part_ends));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.size() >= long_part_bytes_min && !are_words(part, numbers::few))
      return false;
  }
  return true;
}

bool is_place(std::string_view text) {
  bool has_drive =
    text.size() > 2 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text.substr(1, 2) == ":\\";
  return has_drive || text.starts_with('/') || text.starts_with("./") || text.starts_with("../")
         || text.starts_with("~/") || text.find("://") != text.npos;
}

bool is_token(std::string_view part) {
  bool is_host = part.find('.') != part.npos && are_words(part, numbers::few);
  bool is_long = part.size() >= long_part_bytes_min && !are_words(part, numbers::none);
  bool has_digit = part.size() >= part_bytes_min && part.find_first_of(digits) != part.npos;
  return (is_long || has_digit) && !is_host;
}

bool begins_one(std::string_view text, size_t at) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto b) { return text.substr(at).starts_with(b); });
}

/// `1234` of `host:1234` and of `host:1234/path`.
bool is_port(std::string_view text) {
  auto end = std::min(text.find_first_not_of(digits), text.size());
  return end > 0 && end <= port_digits_max
         && (end == text.size() || place_part_ends.find(text[end]) != place_part_ends.npos);
}

/// What stands before the `@` of a URL, of which `rest` is what follows `://`: a lone token, or a password. That
/// usually ends where the host's part does; as people write them there are slashes, quotes and `@` in them.
std::vector<std::string_view> passwords_of_url(std::string_view rest) {
  auto authority = rest.substr(0, rest.find_first_of("/ \t\r\n\"'"));
  auto at = authority.rfind('@'), colon = authority.substr(0, at).find(':');
  if (colon == rest.npos)
    return at != rest.npos && is_token(authority.substr(0, at)) ? std::vector{authority.substr(0, at)}
                                                                : std::vector<std::string_view>{};
  std::vector<std::string_view> out;
  if (at == rest.npos && (authority.starts_with('[') || is_port(authority.substr(colon + 1))))
    return out;
  for (auto end : {at, rest.find('@', colon), rest.rfind('@')})
    if (end != rest.npos && end > colon + 1
        && std::find(out.begin(), out.end(), rest.substr(colon + 1, end - colon - 1)) == out.end())
      out.push_back(rest.substr(colon + 1, end - colon - 1));
  return out;
}

/// Of each scheme://user:password@host, and of each scheme://token@host. A URL goes up to a blank or the next one.
std::vector<std::string_view> passwords_in(std::string_view text) {
  constexpr std::string_view after_scheme = "://";
  std::vector<std::string_view> out;
  for (auto scheme = text.find(after_scheme); scheme != text.npos; scheme = text.find(after_scheme)) {
    text.remove_prefix(scheme + after_scheme.size());
    auto url = text.substr(0, text.find(after_scheme));
    for (auto password : passwords_of_url(url.substr(0, url.find_first_of(url_ends))))
      out.push_back(password);
  }
  return out;
}

/// Its words in capitals with a `_` before, between and behind them: `x-apiKey2` is `_X_API_KEY__`.
std::string words_in(std::string_view name) {
  std::string out = "_";
  bool is_after_small = false;
  for (unsigned char c : name) {
    out += is_after_small && std::isupper(c) != 0 ? "_" : "";
    out += std::isalpha(c) != 0 ? static_cast<char>(std::toupper(c)) : '_';
    is_after_small = std::islower(c) != 0;
  }
  return out + '_';
}

template <size_t n>
bool has_one(std::string_view name, const std::array<std::string_view, n>& of) {
  return std::any_of(of.begin(), of.end(), [&](auto word) { return name.find(word) != name.npos; });
}

bool has_whole_word(std::string_view name_words) {
  bool is_last =
    std::any_of(last_words.begin(), last_words.end(), [&](auto word) { return name_words.ends_with(word); });
  return is_last || has_one(name_words, whole_words);
}

std::string in_capitals(std::string_view name) {
  std::string out{name};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

bool is_name_of_place(std::string_view capitals) {
  return std::any_of(places.begin(), places.end(), [&](auto end) { return capitals.ends_with(end); });
}

} // namespace

bool looks_secret(std::string_view text) {
  bool after_separator = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (after_separator && begins_one(text, i))
      return true;
    after_separator = before_beginnings.find(text[i]) != before_beginnings.npos;
  }
  return !passwords_in(text).empty();
}

bool is_ordinary(std::string_view value) {
  return is_place(value) ? are_places(value) : are_words(value, numbers::none);
}

std::vector<std::string> parts_of_secret(std::string_view value) {
  std::vector<std::string> out{std::string{value}};
  for (auto password : passwords_in(value))
    out.emplace_back(password);
  while (!value.empty()) {
    auto part = value.substr(0, value.find_first_of(part_ends));
    value.remove_prefix(std::min(value.size(), part.size() + 1));
    if (is_token(part) && part != out.front())
      out.emplace_back(part);
  }
  return out;
}

bool is_secret_variable(std::string_view name, std::string_view value) {
  if (looks_secret(value))
    return true;
  auto capitals = in_capitals(name);
  if (is_name_of_place(capitals))
    return false;
  auto name_words = words_in(name);
  return has_one(capitals, words) || has_one(name_words, words_of_phrases)
         || (has_whole_word(name_words) && !is_ordinary(value));
}

bool is_secret_pair_name(std::string_view name) {
  auto name_words = words_in(name);
  return !is_name_of_place(in_capitals(name)) && (has_whole_word(name_words) || has_one(name_words, words_of_pairs));
}

bool is_secret_pair(std::string_view name, std::string_view value) {
  return is_secret_pair_name(name) && (has_one(words_in(name), words_of_passwords) || !is_ordinary(value));
}

std::string_view password_of_user(std::string_view option, std::string_view value) {
  auto colon = value.find(':');
  if (std::find(options_of_users.begin(), options_of_users.end(), option) == options_of_users.end()
      || colon == value.npos || is_place(value))
    return {};
  auto password = value.substr(colon + 1);
  bool is_number = value.find_first_not_of("0123456789:") == value.npos; // of a user and a group
  return is_number || is_port(password) || is_ordinary(password) ? std::string_view{} : password;
}

} // namespace config
