#include "config/git_commands.hpp"

#include "config/known_programs.hpp"

#include <algorithm>
#include <string_view>

namespace config {

namespace {

/// Of the names of settings that are commands, whatever their section is: git has dozens (core.sshCommand,
/// tar.NAME.command, sendemail.toCmd, gpg.program, difftool.NAME.path, uploadpack.packObjectsHook), and its extensions
/// have more.
constexpr std::string_view parts_of_names[] = {
  "command",  "cmd",        "program",     "hook",       "helper",    "editor",   "pager",
  "tunnel",   "askpass",    "httpd",       "driver",     "textconv",  "browser",  "path",
  "clean",    "smudge",     "difffilter",  "smtpserver", "fsmonitor", "gitproxy", "process",
  "external", "uploadpack", "receivepack", "vcs",        "askyesno",  "viewer",   "tool"};
struct git_key {
  std::string_view section, name; ///< name: empty for all of the section
};
constexpr git_key other_commands[] = {{"pager", ""}};
constexpr git_key plain_values[] = {{"branch", ""}, {"user", ""}, {"remote", "fetch"}, {"remote", "push"}};
/// An address of which git runs what follows; `% ` is a blank that is a part of a word.
constexpr std::string_view running_transport = "ext::";
/// What settings of yes and no, and of colours, hold.
constexpr std::string_view words_of_switches[] = {"true", "false", "yes", "no", "on", "off", "auto", "always", "never"};

bool is_one_of(const git_setting& setting, const auto& all) {
  return std::any_of(std::begin(all), std::end(all), [&](auto& one) {
    return setting.section == one.section && (one.name.empty() || setting.name == one.name);
  });
}

/// Also of other scripts than ours.
bool has_letter(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; });
}

bool is_command(const git_setting& setting) {
  bool is_for_shell =
    setting.value.starts_with('!')
    && (setting.section == "alias" || setting.section == "credential" || setting.section == "submodule");
  bool is_named = std::any_of(std::begin(parts_of_names), std::end(parts_of_names),
                              [&](auto part) { return setting.name.find(part) != setting.name.npos; });
  return is_for_shell || is_named || is_one_of(setting, other_commands);
}

std::string run_by_transport(std::string_view address) {
  std::string out{address.substr(running_transport.size())};
  for (auto at = out.find("% "); at != out.npos; at = out.find("% ", at))
    out[at] = '\\';
  return out;
}

/// What git puts in for `%f` or `%P` is the name of a file, and no part of the text.
std::string with_placeholders(std::string text) {
  constexpr std::string_view variable = "${GIT_PLACEHOLDER}";
  for (auto at = text.find('%'); at != text.npos && at + 1 < text.size(); at = text.find('%', at + 1))
    if (std::string_view{"fPABOLSXY"}.find(text[at + 1]) != std::string_view::npos)
      text.replace(at, 2, variable);
  return text;
}

} // namespace

std::vector<git_command> commands_in(const git_setting& setting) {
  std::vector<git_command> out;
  for (auto* address : {&setting.value, &setting.part})
    if (address->starts_with(running_transport))
      out.push_back({run_by_transport(*address), git_value::command});
  if (!has_letter(setting.value) || is_among(setting.value, words_of_switches) || is_one_of(setting, plain_values))
    return out;
  bool is_shell = setting.value.starts_with('!');
  if (setting.section == "alias" && !is_shell)
    out.push_back({"git " + setting.value, git_value::command});
  else
    out.push_back({with_placeholders(setting.value.substr(is_shell ? 1 : 0)),
                   is_command(setting) ? git_value::command : git_value::any});
  return out;
}

} // namespace config
