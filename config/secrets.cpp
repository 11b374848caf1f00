#include "config/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace config {

namespace {

/// How keys and tokens begin: OpenAI, Anthropic and Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, JSON Web Tokens, PEM.
constexpr std::array<std::string_view, 18> beginnings{"sk-",  "sk_",  "ghp_", "gho_",  "ghu_", "ghs_", "github_pat_", "glpat-",  "xox",
                                                      "AKIA", "ASIA", "AIza", "ya29.", "hf_",  "npm_", "eyJ",         "Bearer ", "-----BEGIN "};

/// In names of variables and headers, in capitals.
constexpr std::array<std::string_view, 10> words{"KEY", "TOKEN", "SECRET", "PASS", "_PWD", "AUTHORIZATION", "CREDENTIAL", "COOKIE", "PRIVATE", "DSN"};
constexpr std::array<std::string_view, 3> places{"PATH", "FILE", "DIR"};

/// Where a secret has parts, and how those look that are secrets by themselves and not words: by their length, or by a digit among letters.
constexpr std::string_view part_ends = " \t\r\n\"'{}[]()?&=@:/,;";
constexpr size_t part_bytes_min = 8, long_part_bytes_min = 16;

bool is_token(std::string_view part) {
  bool has_digit = part.find_first_of("0123456789") != part.npos;
  return part.size() >= long_part_bytes_min || (part.size() >= part_bytes_min && has_digit);
}

bool begins_one(std::string_view text, size_t at) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto b) { return text.substr(at).starts_with(b); });
}

/// scheme://user:password@host
bool has_password(std::string_view text) {
  auto scheme = text.find("://");
  auto rest = scheme == text.npos ? std::string_view{} : text.substr(scheme + 3);
  auto at = rest.substr(0, rest.find('/')).find('@');
  return at != rest.npos && rest.substr(0, at).find(':') != rest.npos;
}

} // namespace

bool looks_secret(std::string_view text) {
  bool after_separator = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (after_separator && begins_one(text, i))
      return true;
    after_separator = text[i] == '/' || text[i] == '=' || text[i] == ':' || text[i] == ' ' || text[i] == ',';
  }
  return has_password(text);
}

std::vector<std::string> parts_of_secret(std::string_view value) {
  std::vector<std::string> out{std::string{value}};
  while (!value.empty()) {
    auto part = value.substr(0, value.find_first_of(part_ends));
    value.remove_prefix(std::min(value.size(), part.size() + 1));
    if (is_token(part) && part != out.front())
      out.emplace_back(part);
  }
  return out;
}

bool is_secret_variable(std::string_view name, std::string_view value) {
  std::string capitals{name};
  std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  bool is_place = std::any_of(places.begin(), places.end(), [&](auto end) { return capitals.ends_with(end); });
  bool is_named = std::any_of(words.begin(), words.end(), [&](auto word) { return capitals.find(word) != capitals.npos; });
  return (is_named && !is_place) || looks_secret(value);
}

} // namespace config
