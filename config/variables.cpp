#include "config/variables.hpp"

#include "config/file_text.hpp"
#include "config/shown.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

namespace config {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::variable_syntax;

namespace {

/// A place in a text that refers to something.
struct reference {
  size_t begin = 0, end = 0; ///< with its delimiters; equal: there is none
  std::string_view inside;
};

using value = msg::outcome<std::optional<std::string>>; ///< none: the reference stays as it is written

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

reference between(std::string_view text, std::string_view open, std::string_view close) {
  auto begin = text.find(open);
  auto end = begin == text.npos ? begin : text.find(close, begin + open.size());
  if (end == text.npos)
    return {};
  return {begin, end + close.size(), text.substr(begin + open.size(), end - begin - open.size())};
}

/// `$NAME` as well as `${NAME}`.
reference dollar_name(std::string_view text) {
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    auto rest = text.substr(at + 1);
    if (rest.starts_with('{'))
      if (auto braces = between(text.substr(at), "${", "}"); braces.end > 0)
        return {at, at + braces.end, braces.inside};
    auto length = static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_name_part) - rest.begin());
    if (length > 0 && !std::isdigit(static_cast<unsigned char>(rest[0])))
      return {at, at + 1 + length, rest.substr(0, length)};
  }
  return {};
}

/// `{env:...}` and `{file:...}`, whichever is first.
reference opencode_reference(std::string_view text) {
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    if (text.substr(at).starts_with("{env:") || text.substr(at).starts_with("{file:"))
      if (auto braces = between(text.substr(at), "{", "}"); braces.end > 0)
        return {at, at + braces.end, braces.inside};
  return {};
}

reference next_reference(std::string_view text, variable_syntax syntax) {
  switch (syntax) {
    case variable_syntax::none: return {};
    case variable_syntax::shell:
    case variable_syntax::editor: return between(text, "${", "}");
    case variable_syntax::gemini: return dollar_name(text);
    case variable_syntax::opencode: return opencode_reference(text);
    case variable_syntax::mustache: return between(text, "${{", "}}");
  }
  return {};
}

/// `NAME`, or `NAME:-otherwise`.
value set_variable(std::string_view inside, const variable_scope& scope) {
  auto otherwise = inside.find(":-");
  auto found = scope.variable(inside.substr(0, otherwise));
  if (!found.empty())
    return std::optional{std::move(found)};
  return otherwise == inside.npos ? std::nullopt : std::optional{std::string{inside.substr(otherwise + 2)}};
}

fs::path file_path(std::string_view name, const variable_scope& scope) {
  return name.starts_with("~/") ? fs::path{scope.home} / name.substr(2) : fs::path{scope.folder} / name;
}

/// The text of a file without the white space at its end.
value file_content(std::string_view name, const variable_scope& scope) {
  auto path = file_path(name, scope);
  auto file = read_file_text(path.string(), limits::entry_file_bytes_max);
  if (file.error.code != errc::none)
    return fault{errc::server_start_failed, "the entry refers to a file: " + file.error.message};
  if (!file.exists)
    return fault{errc::server_start_failed, "the entry refers to a file that does not exist: " + path.string()};
  auto last = file.text.find_last_not_of(" \t\r\n");
  return std::optional{file.text.substr(0, last == file.text.npos ? 0 : last + 1)};
}

/// The name as people name variables: `api-key` is API_KEY.
std::string as_variable(std::string_view id) {
  std::string out;
  for (char c : id)
    out += is_name_part(c) ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  return out;
}

/// What an editor would ask the user for.
value input(std::string_view id, const variable_scope& scope) {
  for (auto& name : {std::string{id}, as_variable(id)})
    if (auto found = scope.variable(name); !found.empty())
      return std::optional{std::move(found)};
  return fault{errc::server_start_failed, "the entry asks for the input '" + text::quoted(id, shown_bytes_max)
                                            + "', and nobody can be asked here; set the environment variable "
                                            + text::quoted(as_variable(id), shown_bytes_max)};
}

value editor_value(std::string_view inside, const variable_scope& scope) {
  auto argument = inside.substr(std::min(inside.find(':') + 1, inside.size()));
  if (inside.starts_with("env:"))
    return std::optional{scope.variable(argument)};
  if (inside.starts_with("input:"))
    return input(argument, scope);
  if (inside.starts_with("file:"))
    return file_content(argument, scope);
  if (inside == "userHome")
    return std::optional{scope.home};
  if (inside == "workspaceFolder" || inside == "workspaceRoot")
    return std::optional{scope.workspace};
  if (inside == "workspaceFolderBasename")
    return std::optional{fs::path{scope.workspace}.filename().string()};
  if (inside == "pathSeparator" || inside == "/")
    return std::optional{std::string{"/"}};
  return std::optional<std::string>{};
}

/// ` secrets.NAME `, ` inputs.NAME `, also with a place before the name, as in ` secrets.here.NAME `.
value mustache_value(std::string_view inside, const variable_scope& scope) {
  auto first = inside.find_first_not_of(' '), last = inside.find_last_not_of(' ');
  if (first == inside.npos)
    return std::optional<std::string>{};
  inside = inside.substr(first, last - first + 1);
  if (!inside.starts_with("secrets.") && !inside.starts_with("inputs."))
    return std::optional<std::string>{};
  auto found = scope.variable(inside.substr(inside.find_last_of('.') + 1));
  return found.empty() ? std::nullopt : std::optional{std::move(found)};
}

value value_of(std::string_view inside, const variable_scope& scope) {
  switch (scope.syntax) {
    case variable_syntax::editor: return editor_value(inside, scope);
    case variable_syntax::mustache: return mustache_value(inside, scope);
    case variable_syntax::opencode:
      if (inside.starts_with("file:"))
        return file_content(inside.substr(5), scope);
      return std::optional{scope.variable(inside.substr(4))};
    default: return set_variable(inside, scope);
  }
}

bool reads_files(variable_syntax syntax) {
  return syntax == variable_syntax::editor || syntax == variable_syntax::opencode;
}

} // namespace

std::vector<std::string> files_in(std::string_view text, const variable_scope& scope) {
  constexpr std::string_view kind = "file:";
  std::vector<std::string> out;
  for (reference found; reads_files(scope.syntax) && (found = next_reference(text, scope.syntax)).end > 0;
       text.remove_prefix(found.end))
    if (found.inside.starts_with(kind))
      out.push_back(file_path(found.inside.substr(kind.size()), scope).lexically_normal().string());
  return out;
}

msg::outcome<std::string> expand(std::string_view text, const variable_scope& scope) {
  std::string out;
  for (;;) {
    auto found = next_reference(text, scope.syntax);
    out.append(text.substr(0, found.begin));
    if (found.end == 0)
      out.append(text);
    if (out.size() > limits::argument_bytes_max)
      return fault{errc::limit_exceeded, "a text of the entry is longer than "
                                           + std::to_string(limits::argument_bytes_max >> 10)
                                           + " KiB with its variables replaced; Linux takes no longer ones"};
    if (found.end == 0)
      return out;
    auto known = value_of(found.inside, scope);
    if (!known.ok())
      return std::move(known.error);
    out.append(known.value ? std::string_view{*known.value} : text.substr(found.begin, found.end - found.begin));
    text.remove_prefix(found.end);
  }
}

} // namespace config
