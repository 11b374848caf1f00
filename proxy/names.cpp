#include "proxy/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace proxy {

namespace {

constexpr std::string_view prefix = "mcp__";
constexpr std::string_view separator = "__";

/// Reserved in TypeScript or Python and plausible as a tool's name.
constexpr std::array<std::string_view, 66> keywords{
  "and",      "as",         "assert",    "async",   "await",     "break",  "case",     "catch",  "class",    "const",      "continue",
  "debugger", "def",        "default",   "del",     "delete",    "do",     "elif",     "else",   "enum",     "except",     "export",
  "extends",  "False",      "false",     "finally", "for",       "from",   "function", "global", "if",       "implements", "import",
  "in",       "instanceof", "interface", "is",      "lambda",    "let",    "new",      "None",   "nonlocal", "not",        "null",
  "or",       "package",    "pass",      "private", "protected", "public", "raise",    "return", "static",   "super",      "switch",
  "this",     "throw",      "True",      "true",    "try",       "typeof", "var",      "void",   "while",    "with",       "yield"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

std::string made_safe(std::string name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    name.insert(name.begin(), '_');
  if (std::find(keywords.begin(), keywords.end(), name) != keywords.end())
    name += '_';
  return name;
}

/// Every run of other letters becomes `u` and four hexadecimal digits that stand for it: `\u8BFB-file` is told from
/// `\u5220-file`.
std::string spelled_in_ascii(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (is_ascii(name[i])) {
      out += name[i++];
      continue;
    }
    uint32_t hash = 2166136261; // FNV-1a
    for (; i < name.size() && !is_ascii(name[i]); ++i)
      hash = (hash ^ static_cast<unsigned char>(name[i])) * 16777619;
    out += 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
      out += digits[((hash ^ hash >> 16) >> shift) & 15];
  }
  return out;
}

} // namespace

std::string full_name(std::string_view server, std::string_view tool) {
  std::string out{prefix};
  return out.append(server).append(separator).append(tool);
}

std::optional<split_name> split(std::string_view name, const std::vector<std::string>& servers) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  auto rest = name.substr(prefix.size());
  const std::string* best = nullptr;
  for (auto& s : servers)
    if (rest.size() > s.size() + separator.size() && rest.starts_with(s) && rest.substr(s.size()).starts_with(separator))
      best = !best || s.size() > best->size() ? &s : best;
  auto end = best ? best->size() : rest.find(separator);
  if (end == rest.npos || end == 0 || end + separator.size() >= rest.size())
    return std::nullopt;
  return split_name{std::string{rest.substr(0, end)}, std::string{rest.substr(end + separator.size())}};
}

aliases aliases_of(std::string_view original) {
  auto name = spelled_in_ascii(original);
  aliases out;
  bool boundary = false;
  for (char c : name) {
    if (!is_word(c)) {
      boundary = true;
      continue;
    }
    if (boundary && !out.snake.empty()) {
      out.snake += '_';
      out.camel += upper(c);
    } else {
      out.camel += c;
    }
    out.snake += c;
    boundary = false;
  }
  // camelCase of snake_case names: read_file is readFile for TypeScript
  std::string camel;
  for (size_t i = 0; i < out.camel.size(); ++i) {
    bool inner = i > 0 && i + 1 < out.camel.size() && out.camel[i] == '_' && out.camel[i - 1] != '_' && out.camel[i + 1] != '_';
    if (inner)
      camel += upper(out.camel[++i]);
    else
      camel += out.camel[i];
  }
  return {made_safe(std::move(camel)), made_safe(std::move(out.snake))};
}

int resolve(std::string_view wanted, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == wanted)
      return static_cast<int>(i);
  for (size_t i = 0; i < names.size(); ++i) {
    auto a = aliases_of(names[i]);
    if (a.camel == wanted || a.snake == wanted)
      return static_cast<int>(i);
  }
  int only = -1;
  auto bare = msg::skeleton(wanted);
  for (size_t i = 0; i < names.size() && !bare.empty(); ++i) {
    if (msg::skeleton(names[i]) != bare)
      continue;
    if (only >= 0)
      return -1; // ambiguous
    only = static_cast<int>(i);
  }
  return only;
}

} // namespace proxy
