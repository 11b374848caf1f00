#include "config/text_variables.hpp"

#include "config/known_programs.hpp"
#include "config/shell_characters.hpp"

#include <algorithm>
#include <cstddef>

namespace config {

namespace {

/// What stands behind them may come never, or again and again.
constexpr std::string_view block_words[] = {"{",        "if", "while", "until", "for", "case",  "select",
                                            "function", "!",  "then",  "else",  "do",  "coproc"};
/// Of Claude Code: the folder that it was started in. Without it `cd` stays there.
constexpr std::string_view project_variable = "CLAUDE_PROJECT_DIR";
/// Take a script, or a text, in.
constexpr std::string_view sourcing_words[] = {".", "source", "eval"};
constexpr std::string_view words_before_builtins[] = {"command", "builtin", "-p", "--"};
/// The shell sets them itself.
constexpr std::string_view own_variables[] = {"OLDPWD", "REPLY",    "MAPFILE", "OPTARG",
                                              "OPTIND", "DIRSTACK", "COPROC",  "_"};
constexpr std::string_view own_beginnings[] = {"BASH", "FUNCNAME", "PIPESTATUS", "READLINE", "COMP_", "ZSH"};

bool is_own(std::string_view name) {
  return is_among(name, own_variables)
         || std::any_of(std::begin(own_beginnings), std::end(own_beginnings),
                        [&](auto begin) { return name.starts_with(begin); });
}

/// `A=1 B=2`, `export A=1`, and nothing beside.
bool only_assigns(const text_command& command) {
  auto& words = command.words;
  size_t first = !words.empty() && (words[0].text == "export" || words[0].text == "readonly") ? 1 : 0;
  return words.size() > first && command.inputs.empty()
         && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(),
                        [](auto& word) { return !assigned_in(word.text).empty(); });
}

} // namespace

text_variables text_variables::inner() const {
  text_variables out{scope_};
  out.own_ = own_;
  out.is_sourced_ = is_sourced_;
  return out;
}

text_variables::value text_variables::of(std::string_view name, bool is_quoted) const {
  value out;
  auto key = std::string{name};
  bool is_set = scope_.mentions->of(name) > 0;
  auto own = own_.find(key), known = scope_.variables.find(key);
  bool is_kept = !is_sourced_ || name == "PATH";
  if (own != own_.end() && is_kept)
    out.text = own->second;
  else if (known != scope_.variables.end() && ((!is_set && is_kept) || name == "PATH"))
    out.text = known->second;
  else if (!is_set && (name == "PWD" || name == project_variable))
    out.text = "$PWD";
  else if (!is_set && name == "HOME" && !scope_.home.empty())
    out.text = scope_.home;
  else
    out.why = is_set || is_own(name) ? word_value::unknown : word_value::foreign;
  bool is_known = !out.text || is_quoted || !(is_split(*out.text) || scope_.mentions->of("IFS") > 0);
  return is_known ? out : value{std::nullopt, word_value::unknown};
}

void text_variables::note(const text_command& command, text_joint before, text_joint behind) {
  auto& words = command.words;
  is_in_blocks_ = is_in_blocks_ || std::any_of(words.begin(), words.end(), [](auto& word) {
                    return is_among(word.text, block_words);
                  });
  auto program = std::find_if(words.begin(), words.end(), [](auto& word) {
    return assigned_in(word.text).empty() && !is_among(word.text, block_words)
           && !is_among(word.text, words_before_builtins);
  });
  is_sourced_ = is_sourced_ || (program != words.end() && is_among(program->text, sourcing_words));
  bool is_own_shell = behind != text_joint::other && before != text_joint::other && !is_in_blocks_;
  bool is_certain = is_own_shell && only_assigns(command);
  for (auto& word : words)
    if (auto name = std::string{assigned_in(word.text)}; !name.empty()) {
      set(name, word, is_certain);
      if (is_certain && before == text_joint::both)
        chain_.push_back(std::move(name));
    }
  if (behind == text_joint::both)
    return;
  for (auto& name : chain_)
    if (name != "PATH")
      own_.erase(name);
  chain_.clear();
}

/// A PATH that is not known leaves a doubt where it is set.
void text_variables::set(const std::string& name, const text_word& word, bool is_certain) {
  bool is_only_value = !scope_.variables.contains(name) && scope_.mentions->of(name) == 1;
  if (name == "PATH" || (is_certain && word.is_known() && is_only_value && own_.size() < text_variables_max))
    own_[name] = word.text.substr(name.size() + 1);
}

std::string_view assigned_in(std::string_view word) {
  size_t end = 0;
  while (end < word.size() && is_part_of_name(word[end]))
    ++end;
  return end > 0 && end < word.size() && word[end] == '=' && !is_digit(word[0]) ? word.substr(0, end)
                                                                                : std::string_view{};
}

} // namespace config
