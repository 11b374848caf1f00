#include "mcp/asked_secrets.hpp"

#include "mcp/fields.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace mcp {

namespace json = boost::json;

namespace {

/// Fields of a form that are looked at, and bytes of each text. What has more is no form for a person.
constexpr size_t fields_looked_at_max = 200;
constexpr size_t looked_at_bytes_max = 16u << 10;
constexpr size_t told_name_bytes_max = 64;
/// Between the word that asks and what is asked for: "enter the new API key".
constexpr size_t words_between_max = 3;

constexpr std::array<std::string_view, 16> secrets{
  "password",   "passwords", "passwd",      "passphrase", "passcode", "pwd", "secret",   "secrets",
  "credential", "apikey",    "credentials", "token",      "cvv",      "cvc", "mnemonic", "otp"};
/// The last word of two, and what may stand before it.
struct pair_of_words {
  std::string_view last;
  std::array<std::string_view, 8> first;
};
constexpr pair_of_words pairs[] = {
  {"key", {"api", "access", "secret", "private", "account", "encryption", "ssh", "license"}},
  {"phrase", {"seed", "recovery", "pass", "mnemonic"}},
  {"code", {"pin", "security", "verification", "otp", "2fa", "tan"}},
  {"number", {"card", "cvv", "pin", "iban"}},
  {"string", {"connection"}},
};
constexpr std::array<std::string_view, 22> asking{
  "enter", "type",  "give", "provide", "paste",  "supply", "input",  "your",   "tell",  "what",   "whats",
  "need",  "needs", "send", "share",   "insert", "fill",   "needed", "submit", "reply", "answer", "confirm"};
/// What may follow the name of a secret that is meant itself, and not something of it.
constexpr std::array<std::string_view, 26> going_on{
  "for",  "of",    "to",   "from", "in", "at",    "here", "again",  "so",    "and",  "or", "is", "you",
  "that", "which", "with", "into", "on", "below", "now",  "please", "value", "text", "if", "as", "s"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct word {
  std::string text;     ///< in small letters
  bool is_last = false; ///< of a sentence, a bracket or a line
};

/// Words of names in any style, and of sentences. Letters that are not ASCII belong to words as they are.
std::vector<word> words_of(std::string_view text) {
  std::vector<word> words;
  bool is_open = false;
  for (size_t i = 0; i < std::min(text.size(), looked_at_bytes_max); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    bool is_letter = c >= 0x80 || std::isalnum(c) != 0;
    if (!is_letter) {
      is_open = is_open && c == '\''; // what's
      if (!words.empty() && std::string_view{".,:;?!()[]\n\""}.find(text[i]) != std::string_view::npos)
        words.back().is_last = true;
      continue;
    }
    bool is_hump =
      is_open && std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0;
    if (!is_open || is_hump)
      words.emplace_back();
    is_open = true;
    words.back().text += static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  }
  if (!words.empty())
    words.back().is_last = true;
  return words;
}

/// Whether a secret is named at that place, and meant itself. `first`: where its name begins.
bool is_secret_at(const std::vector<word>& words, size_t at, size_t& first) {
  auto& text = words[at].text;
  first = at;
  bool is_named = is_one_of(secrets, text);
  for (auto& pair : pairs)
    if (at > 0 && text == pair.last && !words[at - 1].text.empty() && is_one_of(pair.first, words[at - 1].text)) {
      is_named = true;
      first = at - 1;
    }
  return is_named && (words[at].is_last || is_one_of(going_on, words[at + 1].text));
}

/// Null: it is none, or takes no text that somebody writes.
const json::object* written_field(const json::value& described) {
  auto* field = described.if_object();
  auto type = field ? string_or(*field, "type", "string") : std::string_view{};
  bool is_chosen = field && (field->contains("enum") || field->contains("oneOf") || field->contains("const"));
  return field && !is_chosen && type != "boolean" ? field : nullptr;
}

bool is_secret_field(std::string_view name, const json::object& field) {
  return names_secret(name) || names_secret(string_or(field, "title")) || string_or(field, "format") == "password"
         || asks_for_secret(string_or(field, "description")) || names_secret(string_or(field, "description"));
}

} // namespace

bool names_secret(std::string_view name) {
  auto words = words_of(name);
  size_t first = 0;
  for (size_t i = 0; i < words.size(); ++i)
    if (is_secret_at(words, i, first))
      return true;
  return false;
}

bool asks_for_secret(std::string_view sentence) {
  auto words = words_of(sentence);
  size_t first = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!is_secret_at(words, i, first))
      continue;
    auto from = first - std::min(first, words_between_max + 1);
    for (auto before = first; before-- > from && !words[before].is_last;)
      if (is_one_of(asking, words[before].text))
        return true;
  }
  return false;
}

std::string secret_asked_for(const json::object& params) {
  auto* fields = object_in(object_in(&params, "requestedSchema"), "properties");
  if (!fields)
    return {};
  size_t looked_at = 0;
  bool is_text_wanted = false;
  for (auto& [name, described] : *fields) {
    if (++looked_at > fields_looked_at_max)
      return "more than " + std::to_string(fields_looked_at_max) + " fields";
    auto* field = written_field(described);
    if (field && is_secret_field(name, *field))
      return "the field '" + text::printable(text::quoted(name, told_name_bytes_max)) + "'";
    is_text_wanted |= field && string_or(*field, "type", "string") == "string";
  }
  return is_text_wanted && asks_for_secret(string_or(params, "message")) ? "its message" : "";
}

} // namespace mcp
