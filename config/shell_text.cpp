#include "config/shell_text.hpp"

#include "config/known_programs.hpp"
#include "config/printed_text.hpp"
#include "config/shell_characters.hpp"
#include "config/text_variables.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace config {

namespace {

size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size() && is_part_of_name(text[at]))
    ++at;
  return at;
}

/// Behind the bracket that closes the one in front of `at`, whatever is in quotes there.
size_t behind_bracket(std::string_view text, size_t at, char open, char close) {
  char quote = '\0';
  for (size_t depth = 1; at < text.size(); ++at) {
    char c = text[at];
    if (c == '\\' && quote != '\'')
      ++at;
    else if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == open)
      ++depth;
    else if (c == close && --depth == 0)
      return at + 1;
  }
  return text.size() + 1; // it is open
}

/// `[` is a program, `[[` and `{` are words of the shell, and `{}` is nothing to it.
bool is_pattern(char c, std::string_view before, std::string_view behind) {
  bool is_at_end = behind.empty() || is_blank(behind.front()) || behind.front() == '\n';
  bool is_test = c == '[' && (before.empty() || before == "[") && (is_at_end || behind.starts_with("[ "));
  bool is_block = c == '{' && ((before.empty() && is_at_end) || behind.starts_with('}'));
  return c == '*' || c == '?' || (c == '[' && !is_test) || (c == '{' && !is_block);
}

/// Of the shell, or a program that starts what follows in brackets.
constexpr std::string_view words_before_brackets[] = {"if", "then", "else", "elif", "while", "until",
                                                      "do", "!",    "{",    "time", "in"};

/// A shell takes away a backslash with its end of line wherever it stands, also in `$NAME`.
constexpr std::string_view line_in_sign = "a line that goes on within a sign of the shell";

void weaken(text_word& word, word_value to) { word.value = std::max(word.value, to); }

/// A word that says nothing but `"$1"` or `"$@"`: one that was given; without quotes it is made several, or names of
/// files, which is as foreign as a variable.
word_value value_of_position(std::string_view written) {
  bool is_quoted = written.size() > 2 && written.starts_with('"') && written.ends_with('"');
  auto name = is_quoted ? written.substr(1, written.size() - 2) : written;
  if (!name.starts_with('$'))
    return word_value::unknown;
  name.remove_prefix(1);
  if (name.size() == 3 && name.starts_with('{') && name.ends_with('}'))
    name = name.substr(1, 1);
  bool is_position = name.size() == 1 && (is_digit(name[0]) || name[0] == '@' || (name[0] == '*' && !is_quoted));
  return !is_position ? word_value::unknown : is_quoted ? word_value::position : word_value::foreign;
}

class text_reader {
public:
  text_reader(std::string_view text, const text_scope& scope, text_variables variables, size_t depth,
              size_t& words_left)
    : text_(text),
      scope_(scope),
      variables_(std::move(variables)),
      depth_(depth),
      words_left_(words_left) {}

  shell_text read() && {
    if (text_.find('\r') != text_.npos)
      doubt("a carriage return, which is a part of a word");
    while (at_ < text_.size() && out_.doubt.empty())
      step();
    end_command(text_joint::sequence);
    return std::move(out_);
  }

private:
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  bool skip(std::string_view what) {
    bool is_next = rest().starts_with(what);
    at_ += is_next ? what.size() : 0;
    return is_next;
  }
  void doubt(std::string_view what) { out_.doubt = out_.doubt.empty() ? std::string{what} : out_.doubt; }

  void step() {
    at_ += blanks_before_word(rest());
    if (rest().empty())
      return;
    if (rest().starts_with('#'))
      at_ += std::min(rest().find('\n'), rest().size());
    else if (rest().starts_with('<') && !rest().starts_with("<("))
      read_input();
    else if (rest().starts_with('>') && !rest().starts_with(">("))
      skip_output();
    else if (rest().starts_with("<(") || rest().starts_with(">(") || !is_operator(rest().front()))
      take_word();
    else
      take_joint();
  }

  void take_joint() {
    auto operation = rest().substr(0, rest().starts_with("||") || rest().starts_with("&&") ? 2 : 1);
    if (operation == "(")
      look_at_bracket();
    bool is_sequence = operation == ";" || operation == "\n";
    end_command(operation == "&&" ? text_joint::both : is_sequence ? text_joint::sequence : text_joint::other);
    at_ += operation.size();
    is_fed_ = is_fed_ || operation == "|";
    command_.is_fed = is_fed_;
  }

  /// In front of a group, and behind the name of a function; else it is a part of a pattern, a list, or arithmetic.
  void look_at_bracket() {
    auto& words = command_.words;
    auto inside = rest().substr(1);
    inside.remove_prefix(std::min(inside.find_first_not_of(" \t"), inside.size()));
    bool is_apart = at_ == 0 || is_blank(text_[at_ - 1]) || is_operator(text_[at_ - 1]);
    bool is_group = words.empty() || (is_apart && is_among(words.back().text, words_before_brackets));
    bool is_function = words.size() == 1 && inside.starts_with(')');
    if (rest().starts_with("((") || !(is_group || is_function))
      doubt("a bracket that is not in front of a group of commands");
    if (is_function)
      out_.functions.push_back(words[0].text);
    variables_.begin_block();
  }

  void end_command(text_joint behind) {
    variables_.note(command_, before_, behind);
    before_ = behind;
    auto ended = std::exchange(command_, {});
    command_.is_fed = is_fed_;
    if (!ended.words.empty() || !ended.inputs.empty())
      out_.commands.push_back(std::move(ended));
  }

  void take_word() {
    auto begin = at_;
    auto word = read_word();
    auto written = text_.substr(begin, at_ - begin);
    bool is_descriptor = !written.empty() && std::all_of(written.begin(), written.end(), is_digit)
                         && (rest().starts_with('<') || rest().starts_with('>'));
    if (is_descriptor)
      return;
    if (words_left_ == 0)
      return doubt("more words than are looked at");
    --words_left_;
    command_.words.push_back(std::move(word));
  }

  void skip_output() {
    if (!skip(">>") && !skip(">&") && !skip(">|"))
      skip(">");
    out_.outputs.push_back(read_target().text);
  }

  void read_input() {
    if (rest().starts_with("<<") && !rest().starts_with("<<<"))
      return doubt("a here-document");
    if (rest().starts_with("<\\\n"))
      return doubt(line_in_sign);
    bool is_descriptor = rest().starts_with("<&");
    if (!skip("<<<") && !skip("<&") && !skip("<>"))
      skip("<");
    auto word = read_target();
    if (!is_descriptor)
      command_.inputs.push_back(std::move(word));
  }

  text_word read_target() {
    at_ += blanks_before_word(rest());
    return read_word();
  }

  text_word read_word() {
    text_word word;
    auto begin = at_;
    has_position_ = false;
    read_tilde(word);
    while (!rest().empty() && !is_blank(rest().front()) && out_.doubt.empty()
           && (!is_operator(rest().front()) || rest().starts_with("<(") || rest().starts_with(">(")))
      add_part(word);
    if (has_position_)
      word.value = scope_.mentions->are_positions_kept() ? value_of_position(text_.substr(begin, at_ - begin))
                                                         : word_value::unknown;
    if (word.text.find('\0') != word.text.npos)
      word = {"", word_value::unknown, ""};
    return word;
  }

  void read_tilde(text_word& word) {
    if (!rest().starts_with('~'))
      return;
    auto name = rest().substr(0, rest().find_first_of("/ \t\r\n;&|()<>"));
    word.text = name == "~" ? scope_.home : name == "~+" ? "$PWD" : "";
    if (word.text.empty())
      weaken(word, word_value::unknown);
    at_ += name.size();
  }

  void add_part(text_word& word) {
    if (rest().starts_with("$'") || rest().starts_with("$\"")) { // quotes to bash, a `$` in front of some to sh
      weaken(word, word_value::unknown);
      ++at_;
    }
    if (skip("\""))
      return add_double_quoted(word);
    if (skip("'"))
      return add_until_quote(word);
    if (skip("\\")) {
      if (!rest().empty() && !skip("\n"))
        word.text += text_[at_++];
      return;
    }
    if (add_expansion(word, false))
      return;
    char c = text_[at_++];
    if (is_pattern(c, word.text, rest()))
      weaken(word, word_value::unknown);
    word.text += c;
  }

  void add_until_quote(text_word& word) {
    auto end = rest().find('\'');
    word.text += rest().substr(0, end);
    at_ += std::min(end, rest().size());
    if (!skip("'"))
      doubt("a quote that is open");
  }

  void add_double_quoted(text_word& word) {
    while (!rest().empty() && !rest().starts_with('"') && out_.doubt.empty())
      if (rest().size() > 1 && rest()[0] == '\\' && std::string_view{"\"\\$`\n"}.find(rest()[1]) != std::string::npos) {
        word.text += rest()[1] == '\n' ? std::string{} : std::string{rest()[1]};
        at_ += 2;
      } else if (!add_expansion(word, true)) {
        word.text += text_[at_++];
      }
    if (!skip("\""))
      doubt("a quote that is open");
  }

  /// False: none begins here.
  bool add_expansion(text_word& word, bool is_quoted) {
    if (rest().starts_with("$(("))
      return add_unknown(word, behind_bracket(text_, at_ + 2, '(', ')'));
    if (rest().starts_with("$(") || rest().starts_with("<(") || rest().starts_with(">("))
      return add_output(word, rest().front() == '$', is_quoted);
    if (rest().starts_with('`'))
      return add_backticks(word, is_quoted);
    if (rest().starts_with("${"))
      return add_braced(word, is_quoted);
    if (!rest().starts_with('$') || rest().size() == 1)
      return false;
    auto end = end_of_name(text_, at_ + 1);
    if (auto behind = text_.substr(end); behind.starts_with("\\\n"))
      if (end == at_ + 1 || end_of_name(behind, 2) > 2 || behind.substr(2).starts_with('\\'))
        doubt(line_in_sign);
    bool is_special = end == at_ + 1 || is_digit(rest()[1]);
    if (is_special && !is_digit(rest()[1]) && std::string_view{"@*#?$!-"}.find(rest()[1]) == std::string_view::npos)
      return false;
    auto name = is_special ? rest().substr(1, 1) : text_.substr(at_ + 1, end - at_ - 1);
    at_ += 1 + name.size();
    add_variable(word, name, is_quoted);
    return true;
  }

  bool add_unknown(text_word& word, size_t end) {
    weaken(word, word_value::unknown);
    if (end > text_.size())
      doubt("a bracket that is open");
    auto inside = text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1);
    if (inside.find("$(") != inside.npos || inside.find('`') != inside.npos || inside.find("<(") != inside.npos)
      doubt("a command within what stands for a value");
    at_ = std::min(end, text_.size());
    return true;
  }

  void add_variable(text_word& word, std::string_view name, bool is_quoted) {
    if (is_digit(name[0]) || name == "@" || name == "*") {
      has_position_ = true;
      return;
    }
    auto value = variables_.of(name, is_quoted);
    weaken(word, value.text ? word_value::known : value.why);
    word.text += value.text.value_or("");
  }

  /// `${NAME}`, and `${NAME:-otherwise}` of one that is known, or of one that is not and a plain text.
  bool add_braced(text_word& word, bool is_quoted) {
    auto end = behind_bracket(text_, at_ + 2, '{', '}');
    if (end > text_.size())
      return add_unknown(word, end);
    auto inside = text_.substr(at_ + 2, end - at_ - 3);
    auto name = inside.substr(0, std::max<size_t>(end_of_name(inside, 0), inside == "@" ? 1 : 0));
    auto behind = inside.substr(name.size());
    bool is_position = !name.empty() && (is_digit(name[0]) || name == "@");
    bool has_other = !is_position && behind.starts_with(":-");
    auto value = has_other ? variables_.of(name, is_quoted) : text_variables::value{};
    bool is_used = has_other && value.text && !value.text->empty();
    bool is_foreign = has_other && !value.text && value.why == word_value::foreign
                      && behind.find_first_of("$`\\*?[{\"'") == behind.npos;
    if (name.empty() || !(behind.empty() || is_used || is_foreign) || (is_position && name.size() > 1))
      return add_unknown(word, end);
    at_ = end;
    add_variable(word, name, is_quoted);
    return true;
  }

  bool add_output(text_word& word, bool is_text, bool is_quoted) {
    auto begin = at_ + 2, end = behind_bracket(text_, begin, '(', ')');
    if (end > text_.size())
      return add_unknown(word, end);
    at_ = end;
    if (variable_mentions{{std::string{text_.substr(begin, end - begin - 1)}}}.of("case") > 0)
      doubt("a 'case' within brackets"); // which has brackets that do not close
    add_nested(word, text_.substr(begin, end - begin - 1), is_text, is_quoted);
    return true;
  }

  bool add_backticks(text_word& word, bool is_quoted) {
    std::string inside;
    for (++at_; !rest().empty() && rest().front() != '`'; ++at_) {
      if (rest().size() > 1 && rest()[0] == '\\' && (rest()[1] == '`' || rest()[1] == '\\' || rest()[1] == '$'))
        ++at_;
      inside += text_[at_];
    }
    if (!skip("`"))
      doubt("a backtick that is open");
    add_nested(word, inside, true, is_quoted);
    return true;
  }

  void add_nested(text_word& word, std::string_view inside, bool is_text, bool is_quoted) {
    if (depth_ >= nested_texts_max)
      return doubt("more texts in one another than are looked at");
    text_reader reader{inside, scope_, variables_.inner(), depth_ + 1, words_left_};
    reader.is_fed_ = reader.command_.is_fed = is_fed_;
    auto inner = std::move(reader).read();
    if (!inner.doubt.empty())
      doubt(inner.doubt);
    auto printed = is_text ? printed_by(inner, scope_) : std::nullopt;
    bool is_whole = word.text.empty() && word.is_known();
    if (!printed || (!is_quoted && is_split(*printed)))
      weaken(word, word_value::unknown);
    word.text += printed.value_or("");
    word.printed_by.clear();
    if (is_whole && inner.commands.size() == 1 && !inner.commands[0].words.empty())
      word.printed_by = std::filesystem::path{inner.commands[0].words[0].text}.filename().string();
    for (auto& command : inner.commands)
      out_.commands.push_back(std::move(command));
    out_.outputs.insert(out_.outputs.end(), inner.outputs.begin(), inner.outputs.end());
    out_.functions.insert(out_.functions.end(), inner.functions.begin(), inner.functions.end());
  }

  std::string_view text_;
  const text_scope& scope_;
  text_variables variables_;
  size_t depth_;
  size_t& words_left_;
  size_t at_ = 0;
  text_joint before_ = text_joint::sequence;
  bool is_fed_ = false;       ///< a pipe has come
  bool has_position_ = false; ///< the word that is read now
  text_command command_;
  shell_text out_;
};

} // namespace

shell_text read_shell_text(std::string_view text, const text_scope& scope) {
  size_t words_left = text_words_max;
  return text_reader{text, scope, text_variables{scope}, 0, words_left}.read();
}

} // namespace config
