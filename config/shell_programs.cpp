#include "config/shell_programs.hpp"

#include "config/known_programs.hpp"
#include "config/shell_characters.hpp"

#include <algorithm>
#include <iterator>

namespace config {

namespace {

constexpr std::string_view posix_shells[] = {"sh", "bash", "dash", "ksh", "ash", "mksh"};
constexpr std::string_view other_shells[] = {"fish", "csh", "tcsh", "nu", "xonsh", "elvish"};

constexpr std::string_view tellers[] = {
  "echo",    "printf",   "test",    "[",      "[[",     "export", "unset",   "which",   "type", "mkdir", "rm",
  "kill",    "pkill",    "pgrep",   "sleep",  "docker", "podman", "nerdctl", "kubectl", "for",  "case",  "select",
  "read",    "declare",  "local",   "return", "exit",   "wait",   "}",       "fi",      "done", "esac",  "shift",
  "unalias", "readonly", "typeset", "set",    "date",   "id",     "true",    "false",   ":",    "touch"};
constexpr std::string_view remote_programs[] = {"docker", "podman", "nerdctl", "kubectl", "ssh", "docker-compose"};
constexpr std::string_view listers[] = {"xargs", "parallel", "find", "fd", "fdfind", "run-parts", "entr"};

/// Take names of what a repository holds.
constexpr std::string_view telling_verbs_of_git[] = {
  "add",          "blame",     "branch",     "cat-file",     "checkout", "cherry-pick", "clean",  "commit",
  "describe",     "diff",      "fetch",      "grep",         "log",      "ls-files",    "merge",  "merge-base",
  "mv",           "pull",      "push",       "rebase",       "remote",   "reset",       "reflog", "restore",
  "rev-list",     "rev-parse", "rm",         "shortlog",     "show",     "stash",       "status", "switch",
  "symbolic-ref", "tag",       "update-ref", "for-each-ref", "revert"};

constexpr std::string_view deciding_variables[] = {"PATH",
                                                   "HOME",
                                                   "ENV",
                                                   "CDPATH",
                                                   "VIRTUAL_ENV",
                                                   "PWD",
                                                   "IFS",
                                                   "JAVA_HOME",
                                                   "EDITOR",
                                                   "VISUAL",
                                                   "PAGER",
                                                   "JAVA_TOOL_OPTIONS",
                                                   "SHELL",
                                                   "CLASSPATH",
                                                   "MAKEFILES",
                                                   "_JAVA_OPTIONS",
                                                   "JDK_JAVA_OPTIONS",
                                                   "GCONV_PATH",
                                                   "LUA_PATH",
                                                   "LUA_CPATH",
                                                   "MAKEFLAGS"};
/// All that decide, but for what these call a secret.
constexpr std::string_view deciding_beginnings[] = {"LD_",         "BASH_",  "GIT_", "NODE_", "NPM_CONFIG_",
                                                    "npm_config_", "PYTHON", "PERL", "RUBY",  "DENO_",
                                                    "BUN_",        "UV_",    "PIP_", "PHP"};
constexpr std::string_view secret_parts[] = {"TOKEN", "KEY", "SECRET", "PASS", "AUTH"};

constexpr starter starters[] = {
  {"npx", 1},        {"pnpx", 1},         {"bunx", 1},          {"uvx", 1},           {"npm", 2},
  {"pnpm", 2},       {"yarn", 2},         {"bun", 2, true},     {"deno", 2, true},    {"uv", 2},
  {"poetry", 2},     {"pdm", 2},          {"hatch", 2},         {"rye", 2},           {"pipx", 2},
  {"conda", 2},      {"micromamba", 2},   {"mamba", 2},         {"mise", 2},          {"go", 2},
  {"cargo", 2},      {"java", 1, true},   {"ruby", 1, true},    {"perl", 1, true},    {"php", 1, true},
  {"node", 1, true}, {"nodejs", 1, true}, {"tsx", 1, true},     {"ts-node", 1, true}, {"nodemon", 1},
  {"electron", 1},   {"awk", 1},          {"gawk", 1},          {"mawk", 1},          {"python", 1, true},
  {"pypy", 1, true}, {"dotnet", 2},       {"make", 0},          {"gmake", 0},         {"just", 0},
  {"task", 0},       {"lua", 1, true},    {"Rscript", 1, true}, {"pipenv", 2},        {"corepack", 2}};
constexpr std::string_view runners[] = {"npx",  "pnpx",   "bunx", "uvx",   "npm",    "pnpm",       "yarn",
                                        "bun",  "deno",   "uv",   "pdm",   "poetry", "hatch",      "rye",
                                        "pipx", "pipenv", "mise", "conda", "mamba",  "micromamba", "corepack"};
/// Options without a value, of all that have them.
constexpr std::string_view plain_options[] = {"-y", "--yes", "-q", "--quiet", "--silent", "--", "--watch", "--inspect"};
constexpr std::string_view plain_beginnings[] = {"--no-", "--experimental-", "--allow-", "--enable-", "--trace-"};
/// Of some.
struct plain_letters {
  std::string_view name, letters;
};
constexpr plain_letters letters_of[] = {{"python", "uBIEiSOsbdqv"},
                                        {"pypy", "uBIEiSOs"},
                                        {"deno", "Aq"},
                                        {"node", "i"},
                                        {"npm", "sg"},
                                        {"npx", "q"},
                                        {"perl", "wsTt"}};

/// Programs that take their program as a word, by which letters.
constexpr plain_letters code_letters[] = {{"python", "cm"}, {"pypy", "cm"}, {"node", "ep"}, {"nodejs", "ep"},
                                          {"tsx", "ep"},    {"perl", "eE"}, {"ruby", "e"},  {"lua", "e"},
                                          {"Rscript", "e"}, {"php", "r"},   {"bun", "ep"},  {"ts-node", "ep"}};

std::string_view letters_for(const auto& table, std::string_view name) {
  auto* found = std::find_if(std::begin(table), std::end(table), [&](auto& one) { return one.name == name; });
  return found == std::end(table) ? std::string_view{} : found->letters;
}

} // namespace

std::string_view program_called(std::string_view command) {
  auto slash = command.rfind('/');
  auto name = slash == command.npos ? command : command.substr(slash + 1);
  return name.ends_with(".exe") ? name.substr(0, name.size() - 4) : name;
}

shell_kind kind_of_shell(std::string_view command) {
  auto name = program_called(command);
  if (is_among(name, posix_shells))
    return shell_kind::posix;
  if (name == "zsh")
    return shell_kind::zsh;
  return is_among(name, other_shells) ? shell_kind::other : shell_kind::none;
}

const starter* find_starter(std::string_view command) {
  auto name = program_called(command);
  for (std::string_view many : {"python", "pypy"})
    name = name.starts_with(many) ? many : name;
  auto* found = std::find_if(std::begin(starters), std::end(starters), [&](auto& s) { return s.name == name; });
  return found == std::end(starters) ? nullptr : found;
}

bool is_runner(std::string_view command) { return is_among(program_called(command), runners); }

bool is_option_word(const text_word& word) { return word.text.size() > 1 && word.text.starts_with('-'); }

bool is_code_option(const starter& of, std::string_view option) {
  auto letters = letters_for(code_letters, of.name);
  bool is_letter = option.size() == 2 && option[0] == '-' && letters.find(option[1]) != letters.npos;
  return is_letter || (letters.find('e') != letters.npos && (option == "--eval" || option == "--print"));
}

bool takes_value(const starter& of, const text_word& option) {
  auto& text = option.text;
  auto letters = letters_for(letters_of, of.name);
  bool is_letters = text.size() > 1 && text[0] == '-' && std::all_of(text.begin() + 1, text.end(), [&](char c) {
                      return letters.find(c) != letters.npos;
                    });
  bool is_plain = is_letters || is_among(text, plain_options)
                  || std::any_of(std::begin(plain_beginnings), std::end(plain_beginnings),
                                 [&](auto begin) { return text.starts_with(begin); });
  return !is_plain && text.find('=') == text.npos && option.is_known();
}

bool is_descriptor_path(std::string_view word) {
  return word == "-" || word == "/dev/stdin" || word.starts_with("/dev/fd") || word.starts_with("/proc/");
}

shell_operand operand_of_shell(const std::vector<text_word>& words, size_t shell) {
  shell_operand out{shell + 1};
  for (; out.at < words.size(); ++out.at) {
    auto& word = words[out.at];
    auto& option = word.text;
    bool is_option = is_option_word(word) || (option.size() > 1 && option[0] == '+');
    if (!is_option)
      break;
    out.is_known = out.is_known && word.is_known();
    if (option == "--") {
      ++out.at;
      break;
    }
    bool is_long = option.starts_with("--");
    out.is_text =
      out.is_text || (!is_long && option[0] == '-' && option.find('c', 1) != option.npos) || option == "--command";
    auto values = is_long
                    ? (option == "--rcfile" || option == "--init-file" ? 1 : 0)
                    : std::count_if(option.begin() + 1, option.end(), [](char c) { return c == 'o' || c == 'O'; });
    out.at += static_cast<size_t>(values);
  }
  return out;
}

bool is_teller(std::string_view command) { return is_among(program_called(command), tellers); }

size_t deciding_words_of_git(const std::vector<text_word>& words, size_t git) {
  for (auto at = git + 1; at < words.size(); ++at)
    if (words[at].is_known() && is_among(words[at].text, telling_verbs_of_git))
      return at - git;
  return words.size() - git - 1;
}

bool is_remote(std::string_view command) { return is_among(program_called(command), remote_programs); }

bool is_lister(std::string_view command) { return is_among(program_called(command), listers); }

bool is_deciding_variable(std::string_view name) {
  bool is_one = std::any_of(std::begin(deciding_beginnings), std::end(deciding_beginnings),
                            [&](auto begin) { return name.starts_with(begin); });
  bool is_secret = std::any_of(std::begin(secret_parts), std::end(secret_parts),
                               [&](auto part) { return name.find(part) != name.npos; });
  return is_among(name, deciding_variables) || (is_one && !is_secret);
}

bool names_code(std::string_view name) {
  constexpr std::string_view others[] = {"PATH", "HOME", "PWD", "SHELL", "IFS"};
  return is_deciding_variable(name) && !name.starts_with("GIT_") && !is_among(name, others);
}

bool is_expanded_by_shell(std::string_view name, std::string_view value) {
  bool is_script = name == "BASH_ENV" || name == "ENV";
  return name.starts_with("BASH_FUNC_") || (is_script && value.find_first_of("$`") != value.npos);
}

bool is_plain_for(shell_kind shell, std::string_view text) {
  constexpr std::string_view same_in_all = "_./:@%+,-='\"&;| \n";
  if (shell == shell_kind::other)
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return is_part_of_name(c) || same_in_all.find(c) != same_in_all.npos; });
  if (shell != shell_kind::zsh)
    return true;
  bool is_in_variable = false; // behind the `$` and letters of its name
  for (size_t at = 0; at < text.size(); ++at) {
    bool is_begin = at == 0 || is_blank(text[at - 1]) || is_operator(text[at - 1]);
    bool is_modifier = text[at] == '[' || (text[at] == ':' && at + 1 < text.size() && is_part_of_name(text[at + 1]));
    if (text[at] == '^' || (text[at] == '=' && is_begin) || (is_modifier && is_in_variable))
      return false;
    is_in_variable = text[at] == '$' || (is_in_variable && is_part_of_name(text[at]));
  }
  return true;
}

} // namespace config
