#include "config/shell_doubts.hpp"

#include "config/builders.hpp"
#include "config/known_programs.hpp"
#include "config/text_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>

namespace config {

namespace {

/// Of a shell, before a command.
constexpr std::string_view words_before[] = {"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time"};
/// Start what stands behind them.
constexpr std::string_view starters_of_words[] = {"exec",   "command", "builtin", "nohup",   "env",      "nice",
                                                  "stdbuf", "setsid",  "ionice",  "timeout", "xvfb-run", "sudo"};
constexpr std::string_view goers[] = {"cd", "pushd", "chdir"};
/// Run their words as a text of the shell, at once or later.
constexpr std::string_view evaluators[] = {"eval", "trap"};
/// What they print sets variables for themselves.
constexpr std::string_view environment_managers[] = {"brew", "fnm",   "pyenv", "rbenv",     "nodenv", "mise",
                                                     "asdf", "conda", "rtx",   "ssh-agent", "direnv", "nodebrew"};
/// Take code of their own, or patterns, as a text.
constexpr std::string_view coders[] = {"node", "nodejs",  "deno", "bun",        "tsx",  "ts-node",
                                       "perl", "ruby",    "php",  "jq",         "awk",  "sed",
                                       "grep", "Rscript", "lua",  "powershell", "pwsh", "psql"};
/// Give their words to a shell.
constexpr std::string_view text_takers[] = {"watch", "tmux", "screen", "hyperfine", "concurrently", "parallel"};
/// Take one as a part of an option: `script -qcTEXT`.
constexpr std::string_view option_text_takers[] = {"script", "su", "runuser", "flock"};
/// In which such a program is looked for.
constexpr size_t words_before_option_max = 16;
/// By which programs that are none of those take a text for a shell.
constexpr std::string_view text_options[] = {"--call",          "--command", "--stdio",      "--exec",
                                             "--shell-command", "--run",     "ProxyCommand", "LocalCommand"};
/// Set variables, some of which decide.
constexpr std::string_view exporters[] = {"export", "declare", "typeset", "readonly", "local"};
/// Set those that they name.
constexpr std::string_view setters[] = {"read", "for", "select", "printf"};
/// Of `xargs`: what it parts its input by.
constexpr std::string_view delimiters[] = {"\\n", "\\0", "\\t", "\n", ","};

/// Of a program, with their values, in front of what it starts. People write a handful.
constexpr size_t options_followed_max = 200;

std::string not_known(const std::string& what) { return what + " names a file or folder that only the shell knows"; }

/// `-c`, `-lc`, `-euc`
bool is_command_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word.ends_with('c')
         && std::all_of(word.begin() + 1, word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == 'B'; });
}

/// What follows is code, if it is the option of a program that takes some.
bool is_option_for_code(const text_word& word) {
  auto& option = word.text;
  return is_option_word(word)
         && (option == "--eval" || option == "--print" || option.find_first_of("cepEn", 1) == option.size() - 1);
}

/// What another program puts in (`find -exec`, `xargs -I{}`) is not in the text.
bool is_certain(const text_word& word) {
  return (word.is_known() && word.text.find("{}") == std::string::npos) || word.value == word_value::position;
}

bool is_count(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// What a runner (is_runner()) is given.
struct running {
  size_t runner, last;        ///< and the last word that decides what it starts, values of options among them
  bool is_behind_end = false; ///< a `--` has come: the words are those of another command
};

class doubter {
public:
  explicit doubter(const text_command& command) : command_(command), words_(command.words) {}

  std::string find() && {
    auto doubt = of_assignments();
    if (doubt.empty() && at_ < words_.size())
      doubt = of_program();
    if (doubt.empty() && at_ >= words_.size() && is_fed_by_unknown())
      doubt = not_known("what 'exec' reads"); // and all commands that follow
    return doubt;
  }

private:
  bool is_fed_by_unknown() const {
    return std::any_of(command_.inputs.begin(), command_.inputs.end(), [](auto& input) { return !input.is_known(); });
  }
  bool is_fed() const { return command_.is_fed || is_fed_by_unknown(); }
  std::string called(size_t at) const { return "'" + std::string{program_called(words_[at].text)} + "'"; }

  /// And of what starts the words behind it.
  std::string of_assignments() {
    bool is_env = false;
    for (; at_ < words_.size(); ++at_) {
      auto& word = words_[at_];
      auto name = assigned_in(word.text);
      bool is_text = !name.empty() && is_expanded_by_shell(name, std::string_view{word.text}.substr(name.size() + 1));
      if (is_text || (is_deciding_variable(name) && !word.is_known()))
        return not_known("'" + std::string{name} + "='");
      if (is_env && is_option_word(word) && splits_text(at_))
        return "'env -S' has escapes of its own";
      bool is_starter = is_among(word.text, words_before) || is_among(program_called(word.text), starters_of_words)
                        || is_option_word(word);
      if (name.empty() && !(word.is_known() && is_starter))
        return {};
      is_env = is_env || program_called(word.text) == "env";
    }
    return {};
  }

  bool splits_text(size_t at) const {
    auto& option = words_[at].text;
    bool is_short = option[1] != '-' && option.find('S') != option.npos;
    bool is_long = option.starts_with("--s");
    auto& text = option.find_first_of(" =") != option.npos || at + 1 == words_.size() ? option : words_[at + 1].text;
    return (is_short || is_long) && text.find_first_of("\\$#\"'") != text.npos;
  }

  std::string of_program() const {
    auto& program = words_[at_];
    if (!is_certain(program))
      return not_known("a program");
    if (is_among(program.text, goers))
      return is_certain_from(at_ + 1) ? std::string{} : not_known("'" + program.text + "'");
    if (program.text == "." || program.text == "source")
      return at_ + 1 >= words_.size() || is_certain(words_[at_ + 1]) ? std::string{} : not_known("'source'");
    if (program.text == "alias")
      return "'alias' makes other programs of names";
    if (is_among(program.text, evaluators))
      return of_evaluator();
    if (is_teller(program.text))
      return of_teller();
    return of_words();
  }

  bool is_certain_from(size_t first) const {
    return std::all_of(words_.begin() + static_cast<std::ptrdiff_t>(first), words_.end(), is_certain);
  }

  std::string of_words() const {
    bool is_started = false; // by a program that is known, which says by itself what decides
    bool is_git = program_called(words_[at_].text) == "git";
    auto end = is_git ? at_ + 1 + deciding_words_of_git(words_, at_) : words_.size();
    for (auto i = end; i < words_.size(); ++i)
      if (is_option_word(words_[i]) && words_[i].value == word_value::unknown)
        return not_known("an option of 'git'");
    std::optional<running> by; // no other starter has come since
    for (auto i = at_; i < end; ++i) {
      if (!is_started && is_given_file(i))
        return not_known("what " + called(at_) + " is given");
      if (by && may_be_started(i, *by))
        return not_known("what " + called(by->runner) + " starts");
      bool may_be_program = !is_started || (by && (i <= by->last || words_[i - 1].text == "--"));
      if (may_be_program && builds_from_sources(words_, i))
        return called(i) + " builds what it starts from sources that programs could change";
      if (is_lister(words_[i].text) && may_be_program)
        return of_lister(i);
      bool is_shell = kind_of_shell(words_[i].text) != shell_kind::none;
      auto* known = find_starter(words_[i].text);
      auto doubt = is_shell ? of_shell(i) : known ? of_starter(i, *known) : std::string{};
      if (!doubt.empty())
        return doubt;
      if (by && words_[i].text == "--")
        by->is_behind_end = true;
      if (is_shell || known || is_script(words_[i].text))
        by = known && is_runner(words_[i].text) ? std::optional{run_by(i)} : std::nullopt;
      is_started = is_started || is_shell || known;
    }
    return is_fed_by_unknown() && !is_started ? not_known("what " + called(at_) + " reads") : std::string{};
  }

  static bool is_script(const std::string& word) {
    return std::any_of(std::begin(endings_of_scripts), std::end(endings_of_scripts),
                       [&](auto* ending) { return word.ends_with(ending); });
  }

  running run_by(size_t runner) const {
    auto& starter = *find_starter(words_[runner].text);
    running out{runner, runner};
    for (auto left = starter.operands; left > 0 && out.last + 1 < words_.size(); ++out.last) {
      auto& word = words_[out.last + 1];
      bool is_value = is_option_word(words_[out.last]) && takes_value(starter, words_[out.last]);
      left -= is_option_word(word) || is_value ? 0 : 1;
    }
    return out;
  }

  /// By what a runner starts, which is not known itself: a path, or what a command prints, that is no value of an
  /// option.
  bool may_be_started(size_t at, const running& by) const {
    auto& word = words_[at];
    auto& before = words_[at - 1].text;
    bool is_value = is_option_word(words_[at - 1]) && before != "--" && !is_command_option(before)
                    && !is_among(before, text_options) && before.find('=') == std::string::npos;
    bool is_path = word.text.find('/') != std::string::npos;
    bool is_unknown = word.value == word_value::unknown && (is_path || by.is_behind_end || word.text.empty());
    return at > by.last && !is_value && !is_option_word(word)
           && (is_unknown || (by.is_behind_end && is_path && word.value == word_value::foreign));
  }

  /// To a program that is not known, which may start it. A variable of the user's environment is data, but for
  /// `"$X/run.sh"` that is no value of an option.
  bool is_given_file(size_t at) const {
    auto& word = words_[at];
    bool is_path = at > at_ && !is_option_word(words_[at - 1]) && word.text.find('/') != std::string::npos;
    return word.value == word_value::unknown || (word.value == word_value::foreign && is_path);
  }

  /// The shell puts blanks between the words, and reads what comes out: one that is no more than a word is read as a
  /// text of its own.
  std::string of_evaluator() const {
    for (auto i = at_ + 1; i < words_.size(); ++i) {
      bool is_managed = words_[at_].text == "eval" && is_among(words_[i].printed_by, environment_managers);
      bool is_whole = words_.size() == at_ + 2 || words_[at_].text != "eval";
      bool is_plain = words_[i].text.find_first_of("*?[{}\\$`~'\"") == std::string::npos;
      if (!is_managed && (!words_[i].is_known() || !(is_whole || is_plain)))
        return called(at_) + " runs what only the shell knows";
    }
    return {};
  }

  /// `docker compose -f FILE run`: what stands before the verb.
  std::string of_compose() const {
    auto at = at_ + 1;
    while (at < words_.size() && words_[at].text != "compose")
      ++at;
    for (++at; at < words_.size() && (is_option_word(words_[at]) || is_option_word(words_[at - 1])); ++at)
      if (!is_certain(words_[at]))
        return not_known("a file of 'compose'");
    return at < words_.size() && !is_certain(words_[at]) ? not_known("a file of 'compose'") : std::string{};
  }

  std::string of_teller() const {
    auto& teller = words_[at_].text;
    if (is_remote(teller))
      return of_compose();
    bool is_test = teller == "test" || teller == "[" || teller == "[[";
    for (auto i = at_ + 1; i < words_.size(); ++i) {
      auto& word = words_[i];
      auto name = assigned_in(word.text);
      bool is_exported = is_among(teller, exporters) && !word.is_known() && is_deciding_variable(name);
      bool is_set = is_among(teller, setters) && is_deciding_variable(word.text);
      bool is_run = is_test && words_[i - 1].text == "-v" && !word.is_known(); // an index of a list is arithmetic
      if (is_exported || is_set || is_run)
        return not_known("'" + teller + "'");
    }
    return {};
  }

  /// `curl ... | sh`, `sh <<<"$X"`, `sh "$X"`
  std::string of_shell(size_t shell) const {
    auto operand = operand_of_shell(words_, shell);
    if (!operand.is_known)
      return not_known("an option of " + called(shell));
    if (operand.at >= words_.size() || is_descriptor_path(words_[operand.at].text))
      return command_.is_fed || !command_.inputs.empty() ? "a shell reads what another program prints" : "";
    auto& word = words_[operand.at];
    bool is_enough = operand.is_text ? word.is_known() : is_certain(word);
    for (auto i = operand.at + 1; operand.is_text && i < words_.size(); ++i) // `$0`, `$1` of the text
      is_enough = is_enough && words_[i].value != word_value::unknown;
    return is_enough ? std::string{} : not_known(called(shell));
  }

  /// `xargs node`, `find -exec node {} ;`
  std::string of_lister(size_t lister) const {
    auto name = program_called(words_[lister].text);
    bool is_find = name == "find" || name == "fd" || name == "fdfind";
    for (auto i = lister + 1; i < words_.size(); ++i) {
      auto& word = words_[i].text;
      bool is_start = word.starts_with("-exec") || word.starts_with("-ok") || word == "-x" || word == "-X"
                      || word.starts_with("--exec");
      if (is_find && is_start && !(i + 1 < words_.size() && is_teller(words_[i + 1].text)))
        return called(lister) + " starts something with what it finds";
      bool is_told = is_option_word(words_[i]) || is_count(word) || is_among(word, delimiters) || word == "{}";
      bool is_git = word == "git" && deciding_words_of_git(words_, i) + i + 1 < words_.size();
      if (!is_find && (is_teller(word) || is_git))
        return {};
      if (!is_find && !is_told)
        return called(lister) + " starts something with what it reads";
    }
    return name == "run-parts" || name == "entr" ? called(lister) + " starts what it finds" : std::string{};
  }

  std::string of_starter(size_t program, const starter& known) const {
    auto doubt = not_known("what " + called(program) + " starts");
    size_t operands = 0;
    bool is_value = false;
    for (auto i = program + 1; i < words_.size(); ++i) {
      auto& word = words_[i];
      bool is_option = !is_value && is_option_word(word);
      bool is_deciding = known.operands == 0 ? is_value || is_option : operands < known.operands;
      if (known.operands > 0 && !is_deciding)
        return {};
      if (i - program > options_followed_max)
        return doubt;
      bool has_own_text = known.name.ends_with("make")
                          && (word.text.find("$(") != word.text.npos || word.text.find("${") != word.text.npos);
      if ((is_deciding && !is_certain(word)) || has_own_text)
        return doubt;
      if (is_deciding && known.reads_stdin && is_descriptor_path(word.text) && is_fed())
        return doubt;
      operands += is_value && is_code_option(known, words_[i - 1].text) ? known.operands
                  : is_value || is_option                               ? 0
                                                                        : 1;
      is_value = is_option && takes_value(known, word);
    }
    return known.reads_stdin && operands < known.operands && is_fed() ? doubt : std::string{};
  }

  const text_command& command_;
  const std::vector<text_word>& words_;
  size_t at_ = 0;
};

/// Empty: there is none.
std::string_view first_program(const std::vector<text_word>& words) {
  for (auto& word : words)
    if (assigned_in(word.text).empty() && !is_among(word.text, words_before) && word.text != "builtin"
        && word.text != "command")
      return word.text;
  return {};
}

} // namespace

std::string doubt_in(const text_command& command) { return doubter{command}.find(); }

std::string_view attached_text(const std::vector<text_word>& words, size_t at) {
  std::string_view word = words[at].text;
  for (auto option : text_options)
    if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
      return word.substr(option.size() + 1);
  auto letter = word.find('c', 1);
  bool is_cluster = word.size() > 2 && word[0] == '-' && word[1] != '-' && letter != word.npos
                    && std::all_of(word.begin() + 1, word.begin() + static_cast<std::ptrdiff_t>(letter),
                                   [](char c) { return c >= 'a' && c <= 'z'; });
  bool is_taker =
    std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words_before_option_max)),
                [](auto& before) { return is_among(program_called(before.text), option_text_takers); });
  return is_cluster && is_taker ? word.substr(letter + 1) : std::string_view{};
}

std::vector<word_use> uses_of(const std::vector<text_word>& words) {
  std::vector<word_use> out(words.size());
  std::map<size_t, shell_kind> operands; // of the first shell that has it there; none: it is a script
  bool is_evaluated = is_among(first_program(words), evaluators);
  bool is_taken = false, is_coder_last = false; // of the words before
  for (size_t at = 0; at < words.size(); ++at) {
    auto& text = words[at].text;
    auto name = program_called(text);
    if (at > 0) {
      out[at].is_code = is_coder_last && is_option_for_code(words[at - 1]);
      bool is_text = text.find_first_of(" \t\n;&|*?$`") != text.npos && !out[at].is_code;
      bool is_given = is_command_option(words[at - 1].text) || is_among(words[at - 1].text, text_options);
      if (auto operand = operands.find(at); operand != operands.end())
        out[at].shell = operand->second;
      else if (is_evaluated || (is_text && (is_given || is_taken)))
        out[at].shell = shell_kind::posix;
    }
    auto kind = kind_of_shell(name);
    if (kind != shell_kind::none) {
      auto operand = operand_of_shell(words, at);
      operands.try_emplace(operand.at, operand.is_text ? kind : shell_kind::none);
    }
    is_coder_last = (is_coder_last && kind == shell_kind::none) || is_among(name, coders) || name.starts_with("python");
    is_taken = is_taken || is_among(name, text_takers);
  }
  return out;
}

bool is_like_text(const shell_text& text) {
  return std::any_of(text.commands.begin(), text.commands.end(), [](auto& command) {
    auto program = first_program(command.words);
    return is_among(program, goers) || is_among(program, starters_of_words) || program == "source" || program == "eval"
           || find_starter(program) || kind_of_shell(program) != shell_kind::none;
  });
}

} // namespace config
