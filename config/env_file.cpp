#include "config/env_file.hpp"

#include "config/file_text.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace config {

using msg::errc;
using msg::fault;
using variable_list = std::map<std::string, std::string>;

namespace {

std::string_view without_blanks(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r");
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_name(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_part);
}

char unescaped(char c) { return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c; }

/// Between quotes, which `text` begins with. None: they do not close, or something other than a comment follows.
std::optional<std::string> quoted_value(std::string_view text) {
  std::string out;
  char quote = text[0];
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      auto rest = without_blanks(text.substr(i + 1));
      return rest.empty() || rest[0] == '#' ? std::optional{std::move(out)} : std::nullopt;
    }
    if (quote == '"' && text[i] == '\\' && i + 1 < text.size())
      out += unescaped(text[++i]);
    else
      out += text[i];
  }
  return std::nullopt;
}

std::optional<std::string> value_of(std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\''))
    return quoted_value(text);
  if (text.starts_with('#'))
    return std::string{};
  return std::string{without_blanks(text.substr(0, text.find(" #")))};
}

} // namespace

msg::outcome<variable_list> parse_env_file(const std::string& path, std::string_view text) {
  variable_list out;
  for (size_t number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#')
      continue;
    if (line.starts_with("export "))
      line = without_blanks(line.substr(7));
    auto equals = std::min(line.find('='), line.size());
    auto name = without_blanks(line.substr(0, equals));
    auto value = equals < line.size() ? value_of(without_blanks(line.substr(equals + 1))) : std::nullopt;
    if (!is_name(name) || !value || value->find('\0') != std::string::npos)
      return fault{errc::server_start_failed, path + ": line " + std::to_string(number) + ": expected NAME=value"};
    out.insert_or_assign(std::string{name}, std::move(*value));
  }
  return out;
}

msg::outcome<variable_list> read_env_file(const std::string& path) {
  auto file = read_file_text(path, msg::limits::entry_file_bytes_max);
  if (file.error.code != errc::none)
    return fault{errc::server_start_failed, "the file of its variables can not be used: " + file.error.message};
  if (!file.exists)
    return fault{errc::server_start_failed, path + ": there is no such file, and the entry names it for its variables"};
  return parse_env_file(path, file.text);
}

} // namespace config
