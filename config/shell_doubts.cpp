#include "config/shell_doubts.hpp"

#include "config/known_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace config {

namespace {

constexpr std::string_view known_shells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"};
/// Of a shell, before a command.
constexpr std::string_view words_before[] = {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"};
/// Start what stands behind them.
constexpr std::string_view starters_of_words[] = {"exec",   "command", "builtin", "nohup",   "env",      "nice",
                                                  "stdbuf", "setsid",  "ionice",  "timeout", "xvfb-run", "sudo"};
/// Start nothing of this machine that their arguments name.
constexpr std::string_view tellers[] = {
  "echo",  "printf", "test",   "[",    "[[",      "export",  "set",   "unset",   "which",   "type",    "hash",
  "mkdir", "rm",     "cat",    "kill", "pkill",   "pgrep",   "sleep", "docker",  "podman",  "nerdctl", "ssh",
  "for",   "case",   "select", "read", "declare", "local",   "grep",  "alias",   "return",  "trap",    "exit",
  "wait",  "}",      "fi",     "done", "esac",    "kubectl", "shift", "unalias", "readonly"};
constexpr std::string_view goers[] = {"cd", "pushd", "chdir"};
/// What they print sets variables for themselves.
constexpr std::string_view environment_managers[] = {"brew", "fnm",   "pyenv", "rbenv",     "nodenv", "mise",
                                                     "asdf", "conda", "rtx",   "ssh-agent", "direnv", "nodebrew"};
/// Take code of their own, or patterns, as a text.
constexpr std::string_view coders[] = {"node", "nodejs",  "deno", "bun",        "tsx",  "ts-node",
                                       "perl", "ruby",    "php",  "jq",         "awk",  "sed",
                                       "grep", "Rscript", "lua",  "powershell", "pwsh", "psql"};
/// By which programs that are none of those take a text for a shell.
constexpr std::string_view text_options[] = {"--call", "--command", "--stdio", "--exec", "--shell-command"};
/// What they say decides what is started.
constexpr std::string_view deciding_variables[] = {
  "PATH",       "HOME",       "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH",    "BASH_ENV",
  "ENV",        "LD_PRELOAD", "CDPATH",       "PERL5LIB",  "RUBYLIB",       "VIRTUAL_ENV",
  "PYTHONHOME", "PERL5OPT",   "RUBYOPT",      "PWD",       "PYTHONSTARTUP", "LD_LIBRARY_PATH"};

/// A program, and how many words of its own that are no options decide what it starts.
struct starter {
  std::string_view name;
  size_t operands;
};
constexpr starter starters[] = {
  {"npx", 1},     {"pnpx", 1},     {"bunx", 1},    {"uvx", 1},    {"npm", 2},     {"pnpm", 2},  {"yarn", 2},
  {"bun", 2},     {"deno", 2},     {"uv", 2},      {"poetry", 2}, {"pdm", 2},     {"hatch", 2}, {"rye", 2},
  {"pipx", 2},    {"conda", 2},    {"mamba", 2},   {"mise", 2},   {"go", 2},      {"cargo", 2}, {"java", 1},
  {"ruby", 1},    {"perl", 1},     {"php", 1},     {"node", 1},   {"nodejs", 1},  {"tsx", 1},   {"ts-node", 1},
  {"nodemon", 1}, {"electron", 1}, {"python", 1},  {"dotnet", 2}, {"make", 0},    {"gmake", 0}, {"just", 0},
  {"task", 0},    {"lua", 1},      {"Rscript", 1}, {"pipenv", 2}, {"corepack", 2}};
/// Without a value.
constexpr std::string_view plain_options[] = {"-y", "--yes", "-q",      "--quiet",   "-s", "--silent",
                                              "-u", "-B",    "-I",      "-E",        "-i", "-A",
                                              "-O", "--",    "--watch", "--inspect", "-S", "-l"};
constexpr std::string_view plain_beginnings[] = {"--no-", "--experimental-", "--allow-", "--enable-", "--trace-"};

std::string_view program_called(std::string_view command) {
  auto slash = command.rfind('/');
  auto name = slash == command.npos ? command : command.substr(slash + 1);
  return name.ends_with(".exe") ? name.substr(0, name.size() - 4) : name;
}

bool is_option_word(const text_word& word) { return word.text.size() > 1 && word.text.starts_with('-'); }

/// `-c`, `-lc`, `-euc`
bool is_command_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word.ends_with('c')
         && std::all_of(word.begin() + 1, word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == 'B'; });
}

bool takes_value(const text_word& option) {
  auto& text = option.text;
  bool is_plain = is_among(text, plain_options)
                  || std::any_of(std::begin(plain_beginnings), std::end(plain_beginnings),
                                 [&](auto begin) { return text.starts_with(begin); });
  return !is_plain && text.find('=') == text.npos && !option.is_unknown;
}

const starter* find_starter(std::string_view command) {
  auto name = program_called(command);
  if (name.starts_with("python"))
    name = "python";
  auto* found = std::find_if(std::begin(starters), std::end(starters), [&](auto& s) { return s.name == name; });
  return found == std::end(starters) ? nullptr : found;
}

std::string not_known(const std::string& what) { return what + " names a file or folder that only the shell knows"; }

/// Where the words of a shell end that follow it, and the text or script begins.
size_t operand_of_shell(const std::vector<text_word>& words, size_t shell, bool& has_text) {
  auto at = shell + 1;
  for (; at < words.size() && (is_option_word(words[at]) || words[at].text.starts_with('+')); ++at) {
    auto& option = words[at].text;
    has_text = has_text || is_command_option(option);
    bool is_valued = option == "-o" || option == "-O" || option == "+o" || option == "+O" || option == "--rcfile"
                     || option == "--init-file";
    at += is_valued ? 1 : 0;
  }
  return at;
}

class doubter {
public:
  explicit doubter(const text_command& command) : command_(command), words_(command.words) {}

  std::string find() && {
    auto doubt = of_assignments();
    if (doubt.empty() && at_ < words_.size())
      doubt = of_program();
    return doubt;
  }

private:
  std::string of_assignments() {
    bool is_starter = true;
    for (; at_ < words_.size() && is_starter; ++at_) {
      auto& word = words_[at_];
      auto name = assigned_in(word.text);
      if (word.is_unknown && is_among(name, deciding_variables))
        return not_known("'" + std::string{name} + "='");
      is_starter =
        !name.empty()
        || (!word.is_unknown
            && (is_among(word.text, words_before) || is_among(word.text, starters_of_words) || is_option_word(word)));
    }
    at_ -= is_starter ? 0 : 1;
    return {};
  }

  std::string of_program() const {
    auto& program = words_[at_];
    if (program.is_unknown)
      return not_known("a program");
    bool is_any_unknown = std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end(),
                                      [](auto& word) { return word.is_unknown; });
    if (is_among(program.text, goers))
      return is_any_unknown ? not_known("'" + program.text + "'") : std::string{};
    if (program.text == "." || program.text == "source")
      return at_ + 1 < words_.size() && words_[at_ + 1].is_unknown ? not_known("'source'") : std::string{};
    if (program.text == "eval")
      return of_eval();
    if (is_among(program_called(program.text), tellers))
      return of_exports();
    for (auto i = at_; i < words_.size(); ++i) {
      auto doubt = is_among(program_called(words_[i].text), known_shells) ? of_shell(i) : of_starter(i);
      if (!doubt.empty())
        return doubt;
    }
    return {};
  }

  std::string of_eval() const {
    for (auto i = at_ + 1; i < words_.size(); ++i)
      if (words_[i].is_unknown && !is_among(words_[i].printed_by, environment_managers))
        return "'eval' runs what only the shell knows";
    return {};
  }

  std::string of_exports() const {
    for (auto i = at_ + 1; i < words_.size() && (words_[at_].text == "export" || words_[at_].text == "declare"); ++i)
      if (auto name = assigned_in(words_[i].text); words_[i].is_unknown && is_among(name, deciding_variables))
        return not_known("'" + std::string{name} + "='");
    return {};
  }

  /// `curl ... | sh`, `sh <<<"$X"`, `sh "$X"`
  std::string of_shell(size_t shell) const {
    bool has_text = false;
    auto at = operand_of_shell(words_, shell, has_text);
    bool is_told = at < words_.size() && words_[at].text != "-";
    bool is_fed = command_.is_behind_pipe || !command_.inputs.empty();
    if (!is_told)
      return is_fed || is_behind_list(shell) ? "a shell reads what another program prints" : "";
    return words_[at].is_unknown ? not_known("'" + std::string{program_called(words_[shell].text)} + "'")
                                 : std::string{};
  }

  /// `xargs node`
  bool is_behind_list(size_t program) const {
    return program > at_ && (words_[at_].text == "xargs" || words_[at_].text == "parallel");
  }

  std::string of_starter(size_t program) const {
    auto* known = find_starter(words_[program].text);
    if (!known || (program > at_ && words_[program].text.find('/') != std::string::npos))
      return {};
    size_t operands = 0;
    bool is_value = false;
    for (auto i = program + 1; i < words_.size(); ++i) {
      auto& word = words_[i];
      bool is_deciding = known->operands == 0 ? is_value || is_option_word(word) : operands < known->operands;
      if (word.is_unknown && is_deciding)
        return not_known("what '" + std::string{program_called(words_[program].text)} + "' starts");
      bool is_code_next =
        is_value && (words_[i - 1].text == "-c" || words_[i - 1].text == "-e" || words_[i - 1].text == "-m");
      operands += is_code_next ? known->operands : is_value || is_option_word(word) ? 0 : 1;
      is_value = !is_value && is_option_word(word) && takes_value(word);
    }
    bool is_fed = is_behind_list(program) || std::any_of(command_.inputs.begin(), command_.inputs.end(), [](auto& in) {
                    return in.is_unknown;
                  });
    return operands < known->operands && is_fed
             ? not_known("what '" + std::string{program_called(words_[program].text)} + "' starts")
             : std::string{};
  }

  const text_command& command_;
  const std::vector<text_word>& words_;
  size_t at_ = 0;
};

/// Empty: the command has none.
std::string_view first_program(const text_command& command) {
  for (auto& word : command.words)
    if (assigned_in(word.text).empty() && !is_among(word.text, words_before))
      return word.text;
  return {};
}

} // namespace

std::string doubt_in(const text_command& command) { return doubter{command}.find(); }

bool is_for_shell(const std::vector<text_word>& words, size_t at) {
  for (size_t i = 0; i < at; ++i)
    if (bool has_text = false;
        is_among(program_called(words[i].text), known_shells) && operand_of_shell(words, i, has_text) == at)
      return has_text;
  auto& word = words[at].text;
  if (at == 0 || word.find_first_of(" \t\n;&|") == word.npos || is_code(words, at))
    return false;
  bool is_evaluated = std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at),
                                  [](auto& before) { return before.text == "eval" || before.text == "concurrently"; });
  return is_evaluated || is_command_option(words[at - 1].text) || is_among(words[at - 1].text, text_options);
}

bool is_like_text(const shell_text& text) {
  return std::any_of(text.commands.begin(), text.commands.end(), [](auto& command) {
    auto program = first_program(command);
    return is_among(program, goers) || is_among(program, starters_of_words) || program == "source" || program == "eval"
           || find_starter(program) || is_among(program_called(program), known_shells);
  });
}

bool is_code(const std::vector<text_word>& words, size_t at) {
  if (at == 0 || !is_option_word(words[at - 1]))
    return false;
  auto option = words[at - 1].text;
  bool is_text = option == "--eval" || option == "--print" || option.find_first_of("cepEn", 1) == option.size() - 1;
  for (auto i = at - 1; is_text && i-- > 0;)
    if (auto name = program_called(words[i].text); is_among(name, coders) || name.starts_with("python"))
      return true;
    else if (is_among(name, known_shells))
      return false;
  return false;
}

} // namespace config
