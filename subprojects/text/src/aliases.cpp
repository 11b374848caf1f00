#include "text/aliases.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <unordered_map>

namespace text {

namespace {

/// Reserved in TypeScript or Python and plausible as a tool's name.
constexpr std::array<std::string_view, 66> keywords{
  "and",      "as",         "assert",  "async",   "await",      "break",     "case",  "catch",   "class",     "const",
  "continue", "debugger",   "def",     "default", "del",        "delete",    "do",    "elif",    "else",      "enum",
  "except",   "export",     "extends", "False",   "false",      "finally",   "for",   "from",    "function",  "global",
  "if",       "implements", "import",  "in",      "instanceof", "interface", "is",    "lambda",  "let",       "new",
  "None",     "nonlocal",   "not",     "null",    "or",         "package",   "pass",  "private", "protected", "public",
  "raise",    "return",     "static",  "super",   "switch",     "this",      "throw", "True",    "true",      "try",
  "typeof",   "var",        "void",    "while",   "with",       "yield"};

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

/// Who has which name.
class owners {
public:
  /// False: another owner has it.
  bool claim(const std::string& name, size_t who) { return owner_.emplace(name, who).first->second == who; }

  /// The first free name made of it and a number.
  std::string numbered(const std::string& name, std::string_view between, size_t who) {
    auto& n = last_.emplace(std::string{name}.append(between), 1).first->second;
    for (;;) {
      auto candidate = std::string{name}.append(between) + std::to_string(++n);
      if (owner_.emplace(candidate, who).second)
        return candidate;
    }
  }

private:
  std::unordered_map<std::string, size_t> owner_;
  /// Number, of a name that was asked for before: a thousand alike take no million steps.
  std::unordered_map<std::string, size_t> last_;
};

} // namespace

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
    bool inner =
      i > 0 && i + 1 < out.camel.size() && out.camel[i] == '_' && out.camel[i - 1] != '_' && out.camel[i + 1] != '_';
    if (inner)
      camel += upper(out.camel[++i]);
    else
      camel += out.camel[i];
  }
  return {made_safe(std::move(camel)), made_safe(std::move(out.snake))};
}

std::vector<aliases> unique_aliases(const std::vector<std::string_view>& names) {
  owners taken;
  for (size_t i = 0; i < names.size(); ++i)
    taken.claim(std::string{names[i]}, i);
  std::vector<aliases> out;
  struct kept {
    bool camel, snake;
  };
  std::vector<kept> natural;
  for (size_t i = 0; i < names.size(); ++i) {
    auto& a = out.emplace_back(aliases_of(names[i]));
    auto camel = taken.claim(a.camel, i);
    natural.push_back({camel, taken.claim(a.snake, i)});
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!natural[i].camel)
      out[i].camel = taken.numbered(out[i].camel, {}, i);
    if (!natural[i].snake)
      out[i].snake = taken.numbered(out[i].snake, "_", i);
  }
  return out;
}

} // namespace text
