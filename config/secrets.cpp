#include "config/secrets.hpp"

#include <algorithm>
#include <array>

namespace config {

namespace {

/// How keys and tokens begin: OpenAI, Anthropic and Stripe, GitHub, GitLab, Slack, AWS, Google, Hugging Face, npm, JSON Web Tokens, PEM.
constexpr std::array<std::string_view, 18> beginnings{"sk-",  "sk_",  "ghp_", "gho_",  "ghu_", "ghs_", "github_pat_", "glpat-",  "xox",
                                                      "AKIA", "ASIA", "AIza", "ya29.", "hf_",  "npm_", "eyJ",         "Bearer ", "-----BEGIN "};

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

} // namespace config
