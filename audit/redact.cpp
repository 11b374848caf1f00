#include "audit/redact.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace audit {

namespace {

constexpr std::string_view mark = "[redacted]";
/// Shorter ones are names more often than keys.
constexpr size_t key_length_min = 24;
/// What is looked at at all: an error that is cut needs no more.
constexpr size_t scanned_factor = 4;

/// The text behind one of these is secret. Lower case; matched as the end of a word.
constexpr std::array<std::string_view, 12> announcing{"password",   "passwd",        "passphrase", "secret",
                                                      "token",      "apikey",        "api_key",    "api-key",
                                                      "access_key", "authorization", "bearer",     "credential"};
/// As services write them.
constexpr std::array<std::string_view, 15> beginnings{"sk-",   "pk_",   "rk_",  "ghp_",        "gho_",
                                                      "ghu_",  "ghs_",  "ghr_", "github_pat_", "glpat-",
                                                      "xoxb-", "xoxp-", "AKIA", "eyJ",         "npm_"};

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '+' || c == '=' || c == '.' || c == '~' || c == '%';
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool announces(std::string_view word) {
  auto name = lower(word);
  while (!name.empty() && (name.back() == '=' || name.back() == '.'))
    name.pop_back();
  return std::any_of(announcing.begin(), announcing.end(), [&](auto a) { return name.ends_with(a); });
}

/// `token=value` and the like, in one word.
size_t assigned_at(std::string_view word) {
  auto sign = word.find('=');
  return sign != word.npos && sign + 1 < word.size() && announces(word.substr(0, sign)) ? sign + 1 : word.npos;
}

bool looks_like_key(std::string_view word) {
  for (auto b : beginnings)
    if (word.size() >= b.size() + 8 && word.starts_with(b))
      return true;
  if (word.size() < key_length_min)
    return false;
  bool digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  bool letter = std::any_of(word.begin(), word.end(), [](char c) { return is_alnum(c) && (c < '0' || c > '9'); });
  return digit && letter;
}

/// Behind the user and password of a URL that begins at `at`, "://" included; or `at`.
size_t behind_user(std::string_view text, size_t at) {
  if (text.substr(at, 3) != "://")
    return at;
  auto end = text.find_first_of("@/ \t\n\"'", at + 3);
  return end != text.npos && text[end] == '@' ? end : at;
}

} // namespace

std::string redacted(std::string_view text, size_t bytes_max) {
  text = text.substr(0, bytes_max * scanned_factor);
  std::string out;
  bool named = false;     // a word has said what the next one may be
  bool announced = false; // the next word is secret
  for (size_t i = 0; i < text.size() && out.size() < bytes_max + mark.size();) {
    if (!is_word(text[i])) {
      if (auto user_end = behind_user(text, i); user_end != i) {
        out.append("://").append(mark);
        i = user_end;
        continue;
      }
      auto c = text[i++];
      announced = (announced || (named && (c == ':' || c == '"' || c == '\''))) && c != '\n' && c != ',' && c != ';';
      named = named && (c == ' ' || announced);
      out += c;
      continue;
    }
    auto end = i;
    while (end < text.size() && is_word(text[end]))
      ++end;
    auto word = text.substr(i, end - i);
    i = end;
    if (auto value = assigned_at(word); value != word.npos) {
      out.append(word.substr(0, value)).append(mark);
      named = announced = false;
    } else if (announces(word) || (announced && lower(word) == "basic")) {
      out.append(word);
      named = true;
      announced = word.ends_with('=') || lower(word) == "bearer" || lower(word) == "basic";
    } else {
      out.append(announced || looks_like_key(word) ? mark : word);
      named = announced = false;
    }
  }
  return text::quoted(out, bytes_max);
}

} // namespace audit
