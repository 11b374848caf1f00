#include "config/wrappers.hpp"

#include "config/command_options.hpp"
#include "config/known_programs.hpp"
#include "config/shell_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace config {

namespace fs = std::filesystem;

namespace {

/// What is searched without a PATH.
constexpr std::string_view usual_path = "/bin:/usr/bin";

/// A program whose last words are a command.
struct wrapper {
  std::string_view name;
  option_table options;
  size_t operands = 0; ///< words of its own before the command
};

constexpr option_table env_options{
  "iv0", "uCS", "ignore-environment null debug block-signal default-signal ignore-signal list-signal-handling",
  "unset chdir split-string"};

constexpr wrapper wrappers[] = {
  {"nice", {"0123456789", "n", "", "adjustment"}},
  {"nohup", {}},
  {"setsid", {"cfw", "", "ctty fork wait", ""}},
  {"ionice", {"t", "cn", "ignore", "class classdata"}},
  {"stdbuf", {"", "ioe", "", "input output error"}},
  {"timeout", {"vfp", "ks", "foreground preserve-status verbose", "kill-after signal"}, 1},
  {"xvfb-run",
   {"al", "efnpsw", "auto-servernum listen-tcp", "error-file auth-file server-num xauth-protocol server-args wait"}},
  {"exec", {"cl", "a", "", ""}}, // of a shell, as the next
  {"command", {}},
};

constexpr std::string_view shells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash"};
constexpr option_table shell_options{"abcefhiklmnpruvxBCHP", "oO",
                                     "login noprofile norc posix noediting restricted verbose", "init-file rcfile"};

/// In a script, nothing behind these is sure to come.
constexpr std::string_view endings[] = {"exec", "exit", "return"};

std::string name_of(std::string_view command) { return fs::path{command}.filename().string(); }

const wrapper* find_wrapper(std::string_view name) {
  auto* found = std::find_if(std::begin(wrappers), std::end(wrappers), [&](auto& w) { return w.name == name; });
  return found == std::end(wrappers) ? nullptr : found;
}

bool is_assignment(std::string_view word) {
  auto equals = word.find('=');
  auto name = word.substr(0, equals);
  auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return equals != word.npos && !name.empty() && !(name[0] >= '0' && name[0] <= '9')
         && std::all_of(name.begin(), name.end(), is_part);
}

void assign(std::string_view word, command_line& to) {
  if (word.starts_with("PATH="))
    to.path = word.substr(5);
  if (word.starts_with("HOME="))
    to.home = word.substr(5);
}

void change_folder(std::string_view folder, command_line& to) {
  to.cwd = (fs::path{to.cwd} / folder).lexically_normal().string();
}

/// Those from the first on. None: there is none, or it can not be told.
std::optional<command_line> with_words(command_line line, const std::vector<std::string>& words, size_t first) {
  if (first >= words.size() || words[first] == unread_word || words[first].empty())
    return std::nullopt;
  line.words.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  return line;
}

std::optional<command_line> behind_assignments(command_line line, const std::vector<std::string>& words, size_t first) {
  while (first < words.size() && is_assignment(words[first]))
    assign(words[first++], line);
  return with_words(std::move(line), words, first);
}

std::optional<command_line> inner_of_env(const command_line& outer) {
  auto options = read_options_of(outer.words, 1, env_options);
  if (!options.is_certain || options.find("S") || options.find("split-string"))
    return std::nullopt;
  auto inner = outer;
  bool is_dash = options.rest < outer.words.size() && outer.words[options.rest] == "-";
  if (is_dash || options.find("i") || options.find("ignore-environment"))
    inner.path = usual_path;
  for (auto& [name, value] : options.given) {
    if ((name == "u" || name == "unset") && value == "PATH")
      inner.path = usual_path;
    if (name == "C" || name == "chdir")
      change_folder(value, inner);
  }
  return behind_assignments(std::move(inner), outer.words, options.rest + (is_dash ? 1 : 0));
}

/// What a command that is not the last does to those behind it. False: whether they come, and where, can not be told.
bool pass_over(const std::vector<std::string>& words, command_line& line) {
  if (is_among(words[0], endings))
    return false;
  if (words[0] == "cd") {
    if (words.size() != 2 || words[1] == unread_word)
      return false;
    change_folder(words[1], line);
  }
  if (words[0] != "export" && !is_assignment(words[0]) && words[0] != unread_word)
    return true;
  for (auto& word : words)
    if (word == unread_word)
      line.path.clear(); // it may be `PATH=...:$PATH`: then only a command with its folder can be told
    else if (is_assignment(word))
      assign(word, line);
  return true;
}

std::optional<command_line> last_command(const command_line& outer, const shell_script& script) {
  auto inner = outer;
  if (script.commands.empty())
    return std::nullopt;
  for (size_t i = 0; i + 1 < script.commands.size(); ++i)
    if (!pass_over(script.commands[i], inner))
      return std::nullopt;
  return behind_assignments(std::move(inner), script.commands.back(), 0);
}

std::optional<command_line> inner_of_shell(const command_line& outer) {
  auto options = read_options_of(outer.words, 1, shell_options);
  if (!options.is_certain || !options.find("c") || options.rest >= outer.words.size())
    return std::nullopt;
  auto script = read_script(outer.words[options.rest], outer.home);
  return script ? last_command(outer, *script) : std::nullopt;
}

// ---- packages

/// Of npm, and of images.
constexpr std::string_view own_package = "code-executor";

struct package_runner {
  std::string_view name, verb; ///< verb: empty if it has none
};
constexpr package_runner package_runners[] = {{"npx", ""},  {"bunx", ""},    {"pnpx", ""},    {"npm", "exec"},
                                              {"npm", "x"}, {"pnpm", "dlx"}, {"yarn", "dlx"}, {"bun", "x"}};
constexpr option_table package_options{
  "yqs", "p",
  "yes no no-install quiet silent prefer-offline prefer-online offline ignore-scripts ignore-existing bun "
  "no-audit no-fund legacy-peer-deps",
  "package registry cache userconfig prefix loglevel"};

constexpr std::string_view container_runners[] = {"docker", "podman", "nerdctl"};
constexpr option_table container_options{"Dv", "Hcl", "debug tls tlsverify remote", "context host config log-level"};
constexpr option_table run_options{
  "itdPq", "aceghlmpuvw",
  "interactive tty detach rm init privileged read-only publish-all oom-kill-disable no-healthcheck sig-proxy quiet "
  "disable-content-trust replace rmi tls-verify no-hosts",
  "", true};

/// `name`, `name@1.2`, `name@latest`
bool is_own_specification(std::string_view text) { return text.substr(0, text.find('@', 1)) == own_package; }

/// `name`, `name:tag@sha256:...`, and as podman writes it. What is called so in a registry may be something else.
bool is_own_image(std::string_view text) {
  constexpr std::string_view local = "localhost/";
  text.remove_prefix(text.starts_with(local) ? local.size() : 0);
  return text.substr(0, text.find_first_of(":@")) == own_package;
}

bool runs_own_npm_package(const command_line& line, size_t first) {
  auto options = read_options_of(line.words, first, package_options);
  if (!options.is_certain || options.rest >= line.words.size())
    return false;
  auto& program = line.words[options.rest];
  auto* package = options.find("package") ? options.find("package") : options.find("p");
  return package ? is_own_specification(*package) && program == own_package : is_own_specification(program);
}

bool runs_own_image(const command_line& line) {
  auto& words = line.words;
  auto verb = read_options_of(words, 1, container_options);
  if (!verb.is_certain)
    return false;
  auto at = verb.rest;
  if (at < words.size() && words[at] == "container")
    ++at;
  if (at >= words.size() || words[at] != "run")
    return false;
  auto options = read_options_of(words, at + 1, run_options);
  if (!options.is_certain || options.rest >= words.size())
    return false;
  auto* program = options.find("entrypoint");
  return is_own_image(words[options.rest]) && (!program || name_of(*program) == own_package);
}

} // namespace

bool may_wrap(std::string_view command) {
  auto name = name_of(command);
  bool is_runner =
    std::any_of(std::begin(package_runners), std::end(package_runners), [&](auto& r) { return r.name == name; });
  return name == "env" || find_wrapper(name) || is_among(name, shells) || is_runner
         || is_among(name, container_runners);
}

std::optional<command_line> inner_command(const command_line& outer) {
  auto name = name_of(outer.words.at(0));
  if (name == "env")
    return inner_of_env(outer);
  if (is_among(name, shells))
    return inner_of_shell(outer);
  auto* known = find_wrapper(name);
  if (!known)
    return std::nullopt;
  auto options = read_options_of(outer.words, 1, known->options);
  return options.is_certain ? with_words(outer, outer.words, options.rest + known->operands) : std::nullopt;
}

bool runs_own_package(const command_line& line) {
  auto name = name_of(line.words.at(0));
  if (is_among(name, container_runners))
    return runs_own_image(line);
  for (auto& runner : package_runners) {
    bool has_verb = !runner.verb.empty();
    bool is_it = runner.name == name && (!has_verb || (line.words.size() > 1 && line.words[1] == runner.verb));
    if (is_it && runs_own_npm_package(line, has_verb ? 2 : 1))
      return true;
  }
  return false;
}

} // namespace config
