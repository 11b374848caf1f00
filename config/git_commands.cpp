#include "config/git_commands.hpp"

#include "config/known_programs.hpp"

#include <algorithm>
#include <string_view>

namespace config {

namespace {

struct git_command {
  std::string_view section, name; ///< name: empty for all of the section
};
constexpr git_command commands[] = {{"core", "fsmonitor"},
                                    {"core", "sshcommand"},
                                    {"core", "editor"},
                                    {"core", "pager"},
                                    {"core", "askpass"},
                                    {"core", "gitproxy"},
                                    {"core", "alternaterefscommand"},
                                    {"sequence", "editor"},
                                    {"filter", "clean"},
                                    {"filter", "smudge"},
                                    {"filter", "process"},
                                    {"diff", "textconv"},
                                    {"diff", "command"},
                                    {"diff", "external"},
                                    {"merge", "driver"},
                                    {"difftool", "cmd"},
                                    {"mergetool", "cmd"},
                                    {"gpg", "program"},
                                    {"gpg", "defaultkeycommand"},
                                    {"interactive", "difffilter"},
                                    {"uploadpack", "packobjectshook"},
                                    {"remote", "uploadpack"},
                                    {"remote", "receivepack"},
                                    {"trailer", "command"},
                                    {"trailer", "cmd"},
                                    {"hook", "command"},
                                    {"browser", "cmd"},
                                    {"man", "cmd"},
                                    {"guitool", "cmd"},
                                    {"sendemail", "tocmd"},
                                    {"sendemail", "cccmd"},
                                    {"pager", ""}};
constexpr git_command plain_values[] = {{"branch", ""}, {"user", ""}, {"remote", "fetch"}, {"remote", "push"}};
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

} // namespace

git_value kind_of_value(const git_setting& setting) {
  if (!has_letter(setting.value) || is_among(setting.value, words_of_switches) || is_one_of(setting, plain_values))
    return git_value::plain;
  bool is_for_shell =
    setting.value.starts_with('!')
    && (setting.section == "alias" || setting.section == "credential" || setting.section == "submodule");
  bool is_path = setting.section == "credential" && setting.name == "helper" && setting.value.starts_with('/');
  return is_for_shell || is_path || is_one_of(setting, commands) ? git_value::command : git_value::any;
}

std::string command_in(const git_setting& setting) {
  return setting.value.substr(setting.value.starts_with('!') ? 1 : 0);
}

} // namespace config
