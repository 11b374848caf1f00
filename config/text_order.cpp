#include "config/text_order.hpp"

#include "config/known_programs.hpp"
#include "config/shell_programs.hpp"
#include "config/text_variables.hpp"
#include "process/inside.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace config {

namespace {

/// Of a shell, or of every machine, or such as only print, copy or fetch. They build nothing.
constexpr std::string_view harmless_programs[] = {
  // of a shell, beside those that only tell (is_teller())
  "cd", "pushd", "popd", "chdir", "dirs", ".", "source", "eval", "trap", "alias", "hash", "ulimit", "umask", "getopts",
  "let", "bg", "fg", "jobs", "disown", "shopt", "setopt", "unsetopt", "autoload", "rehash", "break", "continue",
  "until", "((", "]]", "]", "times", "suspend", "caller", "command_not_found_handle", "bind", "complete", "enable",
  "logout", "mapfile", "readarray", "coproc", "function", "in",
  // of every machine
  "cat", "ls", "head", "tail", "cut", "tr", "sort", "uniq", "wc", "tee", "grep", "egrep", "fgrep", "rg", "sed",
  "basename", "dirname", "realpath", "readlink", "pwd", "cp", "mv", "ln", "chmod", "chown", "chgrp", "mktemp", "uname",
  "whoami", "hostname", "seq", "stat", "du", "df", "ps", "lsof", "nproc", "comm", "diff", "cmp", "md5sum", "sha256sum",
  "sha1sum", "base64", "yes", "stty", "tput", "clear", "reset", "sync", "install", "rmdir", "mkfifo", "paste", "join",
  "fold", "fmt", "column", "tac", "rev", "nl", "od", "xxd", "strings", "file", "env", "printenv", "groups", "users",
  "who", "tty", "arch", "getent", "locale", "ip", "ss", "netstat", "ping", "dig", "host", "nslookup", "nc", "ncat",
  "gzip", "gunzip", "zcat", "tar", "unzip", "zip", "bzip2", "xz", "zstd", "split", "truncate", "dd", "fuser", "killall",
  "jq", "yq", "bc", "expr", "open", "xdg-open", "logger", "less", "more", "man", "git", "gh", "glab", "rsync", "scp",
  "sftp", "curl", "wget", "http", "ssh-add", "ssh-keyscan", "ssh-agent", "gpg", "openssl", "pass", "op", "bw", "vault",
  "security", "secret-tool", "doppler", "infisical", "sops", "age", "aws", "aws-vault", "gcloud", "az", "heroku",
  "flyctl", "psql", "mysql", "redis-cli", "sqlite3", "pg_isready", "notify-send", "osascript", "cygpath", "wslpath",
  "say", "defaults", "sw_vers", "launchctl", "systemctl", "journalctl", "modprobe", "mount", "umount", "wait-for-it",
  "wait-for-it.sh", "wait-on", "pip", "pip3", "gem", "composer", "bundle", "luarocks", "apt", "apt-get", "apk", "dnf",
  "yum", "brew", "choco", "winget", "scoop",
  // that choose versions of those that are known
  "nvm", "fnm", "volta", "asdf", "n", "nodenv", "pyenv", "rbenv", "rvm", "sdk", "jenv", "goenv", "rustup", "nodebrew",
  "cloudflared", "ngrok", "tailscale", "mcp-remote", "nix", "nix-shell", "virtualenv", "venv", "deactivate", "direnv",
  "module"};
/// Start what stands behind them, and nothing else.
constexpr std::string_view passing_programs[] = {"exec",
                                                 "command",
                                                 "builtin",
                                                 "nohup",
                                                 "env",
                                                 "nice",
                                                 "stdbuf",
                                                 "setsid",
                                                 "ionice",
                                                 "timeout",
                                                 "gtimeout",
                                                 "sudo",
                                                 "doas",
                                                 "su",
                                                 "runuser",
                                                 "flock",
                                                 "xvfb-run",
                                                 "chrt",
                                                 "taskset",
                                                 "numactl",
                                                 "caffeinate",
                                                 "unbuffer",
                                                 "script",
                                                 "systemd-run",
                                                 "systemd-inhibit",
                                                 "strace",
                                                 "ltrace",
                                                 "dbus-run-session",
                                                 "bwrap",
                                                 "firejail",
                                                 "tini",
                                                 "dumb-init",
                                                 "gosu",
                                                 "su-exec",
                                                 "setpriv",
                                                 "prlimit",
                                                 "setarch",
                                                 "linux64",
                                                 "linux32",
                                                 "unshare",
                                                 "nsenter",
                                                 "chroot",
                                                 "proxychains",
                                                 "proxychains4",
                                                 "torsocks",
                                                 "tsocks",
                                                 "watch",
                                                 "tmux",
                                                 "screen",
                                                 "time",
                                                 "ssh-agent",
                                                 "dotenv",
                                                 "dotenvx",
                                                 "dotenv-cli",
                                                 "cross-env",
                                                 "cross-env-shell",
                                                 "env-cmd",
                                                 "concurrently",
                                                 "supergateway",
                                                 "mcp-proxy",
                                                 "mcpo",
                                                 "op",
                                                 "bundle",
                                                 "doppler",
                                                 "infisical",
                                                 "aws-vault",
                                                 "direnv",
                                                 "pkexec",
                                                 "start-stop-daemon",
                                                 "socat",
                                                 "stdio-to-ws",
                                                 "rlwrap"};
/// Run what their files say, which builds something, mostly.
constexpr std::string_view task_programs[] = {"make", "gmake", "just", "task", "rake", "mage", "nx", "turbo", "lerna"};
/// Load a module of the folder that they are started in.
constexpr std::string_view servers_of_modules[] = {"uvicorn", "gunicorn", "hypercorn", "flask", "fastmcp", "mcp"};
/// Of runners, in front of what they start.
constexpr std::string_view starting_verbs[] = {"run", "exec", "x", "dlx", "start", "tool", "run-script", "task"};
/// Of runners: they install what files say, or print something.
constexpr std::string_view installing_verbs[] = {
  "install", "i",        "ci",     "add",      "sync",   "update",     "upgrade", "up",       "lock",   "ls",
  "list",    "config",   "use",    "env",      "root",   "bin",        "prefix",  "cache",    "view",   "info",
  "show",    "pip",      "python", "venv",     "init",   "link",       "audit",   "outdated", "why",    "pkg",
  "version", "activate", "shell",  "hook",     "trust",  "login",      "prepare", "enable",   "create", "get",
  "set",     "which",    "where",  "shellenv", "inject", "ensurepath", "remove"};
/// Find what they start elsewhere, if it has no path.
constexpr std::string_view package_runners_of_texts[] = {"npx", "pnpx", "bunx", "uvx", "pipx"};
/// Of a command with more words each may start something.
constexpr size_t order_words_max = 200;

size_t program_in(const std::vector<text_word>& words) {
  size_t at = 0;
  while (at < words.size()
         && (!assigned_in(words[at].text).empty() || is_among(words[at].text, words_before_program)
             || is_option_word(words[at])))
    ++at;
  return at;
}

bool is_in_tables(std::string_view program) {
  auto name = program_called(program);
  return is_among(name, harmless_programs) || is_among(name, servers_of_modules) || is_teller(program)
         || is_remote(program) || is_lister(program) || find_starter(program)
         || kind_of_shell(program) != shell_kind::none;
}

/// Also `cross-env@7`.
bool is_passing(std::string_view program) {
  auto name = program_called(program);
  return is_among(name.substr(0, name.find('@', 1)), passing_programs);
}

/// The first word behind a runner that is no option, from `at` on.
size_t operand_behind(const std::vector<text_word>& words, size_t at) {
  auto& starter = *find_starter(words[at].text);
  bool is_value = false;
  for (++at; at < words.size(); ++at) {
    bool is_option = !is_value && is_option_word(words[at]);
    if (!is_option && !is_value)
      break;
    is_value = is_option && takes_value(starter, words[at]);
  }
  return at;
}

/// `command -v NAME`
bool is_lookup(const std::vector<text_word>& words, size_t program) {
  return program > 1 && (words[program - 1].text == "-v" || words[program - 1].text == "-V")
         && words[program - 2].text == "command";
}

bool is_same(const std::vector<text_word>& one, const std::vector<text_word>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](auto& a, auto& b) { return a.text == b.text; });
}

/// What a runner starts, or the verb that it is told; as many as there are words: nothing.
size_t started_by_runner(const std::vector<text_word>& words, size_t runner) {
  auto at = operand_behind(words, runner);
  for (; at < words.size() && (is_among(words[at].text, starting_verbs) || is_option_word(words[at])); ++at)
    ;
  return at;
}

} // namespace

/// As the shell finds it, from a folder of the project.
bool text_order::is_in_folder(const text_word& word) const {
  auto& text = word.text;
  if (text.empty() || is_option_word(word) || is_descriptor_path(text))
    return false;
  if (!text.starts_with('/'))
    return true;
  return (!scope_.cwd.empty() && process::inside(text, scope_.cwd))
         || (!scope_.top.empty() && process::inside(text, scope_.top));
}

bool text_order::is_started_at(const std::vector<text_word>& words, size_t at) const {
  auto& text = words[at].text;
  if (is_among(program_called(text), task_programs) || is_among(program_called(text), servers_of_modules))
    return true;
  if (kind_of_shell(text) != shell_kind::none) {
    auto operand = operand_of_shell(words, at);
    return !operand.is_text && operand.at < words.size() && is_in_folder(words[operand.at]);
  }
  auto* starter = find_starter(text);
  if (!starter)
    return false;
  auto operand = operand_behind(words, at);
  if (!is_runner(text))
    return operand < words.size() ? is_in_folder(words[operand]) || is_code_option(*starter, words[operand - 1].text)
                                  : operand > at + 1;
  auto name = program_called(text);
  auto& verb = operand < words.size() ? words[operand].text : text;
  if (is_among(verb, installing_verbs))
    return false;
  bool is_fetched = is_among(name, package_runners_of_texts) || verb == "dlx" || verb == "tool";
  return !is_fetched || verb.starts_with('.') || verb.starts_with("$PWD");
}

bool text_order::starts_in_folder(const std::vector<text_word>& words, size_t program) const {
  auto& text = words[program].text;
  bool is_sourcing = text == "." || text == "source";
  if (is_sourcing)
    return program + 1 < words.size() && is_in_folder(words[program + 1]);
  if (text.find('/') != text.npos && is_in_folder(words[program]))
    return true;
  if (is_teller(text) || words.size() - program > order_words_max)
    return !is_teller(text);
  for (auto at = program; at < words.size(); ++at)
    if (is_started_at(words, at))
      return true;
  return false;
}

/// It is named by its path, and told of nothing that may lie in the folder.
bool text_order::is_elsewhere(const std::vector<text_word>& words, size_t program) const {
  return words[program].text.starts_with('/') && !is_in_folder(words[program])
         && std::none_of(words.begin() + static_cast<std::ptrdiff_t>(program) + 1, words.end(),
                         [this](auto& word) { return is_in_folder(word); });
}

std::string text_order::stranger_in(const std::vector<text_word>& words, size_t program,
                                    const std::vector<std::string>& functions) const {
  auto& text = words[program].text;
  auto name = std::string{program_called(text)};
  if (text.empty() || is_among(text, functions))
    return {};
  if (words.size() > order_words_max)
    return is_in_tables(text) && !is_runner(text) ? std::string{} : name;
  if (is_among(name, task_programs))
    return name;
  if (is_passing(text)) {
    for (auto at = program + 1; at < words.size() && at < program + order_words_max; ++at)
      if (words[at].text.find(' ') != std::string::npos) // a text of its own
        return {};
      else if (is_in_tables(words[at].text) && !is_passing(words[at].text))
        return is_runner(words[at].text) || is_among(program_called(words[at].text), task_programs)
                 ? stranger_in(words, at, functions)
                 : std::string{};
    return is_in_tables(name) ? std::string{} : name;
  }
  if (is_runner(text)) {
    auto started = started_by_runner(words, program);
    if (started >= words.size() || is_among(words[started].text, installing_verbs))
      return {};
    auto& named = words[started].text;
    if (is_passing(named))
      return stranger_in(words, started, functions);
    bool is_script = std::any_of(std::begin(endings_of_scripts), std::end(endings_of_scripts),
                                 [&](auto* ending) { return named.ends_with(ending); });
    return is_script || (is_in_tables(named) && !is_runner(named)) ? std::string{} : name;
  }
  return is_in_tables(text) || is_elsewhere(words, program) ? std::string{} : name;
}

std::string text_order::doubt_at(const text_command& command, const std::vector<std::string>& functions) {
  auto& words = command.words;
  auto program = program_in(words);
  if (program >= words.size() || is_lookup(words, program))
    return {};
  bool is_start = starts_in_folder(words, program);
  auto stranger = stranger_in(words, program, functions);
  bool is_own_start = is_among(stranger, task_programs) || is_runner(stranger)
                      || (words[program].text.find('/') != std::string::npos && is_in_folder(words[program]));
  auto& before = stranger_.empty() && !is_own_start ? stranger : stranger_;
  std::string doubt;
  bool is_again = is_same(words, stranger_words_); // of a loop, or a function
  auto& builder = is_own_start && is_again ? other_ : before;
  if (is_start && !builder.empty())
    doubt = "'" + builder + "' may build what is started behind it";
  if (stranger_.empty()) {
    stranger_ = stranger;
    stranger_words_ = words;
  } else if (other_.empty() && !is_again) {
    other_ = stranger;
  }
  return doubt;
}

} // namespace config
