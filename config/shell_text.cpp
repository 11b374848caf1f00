#include "config/shell_text.hpp"

#include "config/shell_characters.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
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

/// `a{b,c}`, `{1..3}`
bool is_brace_list(std::string_view behind_brace) {
  auto inside = behind_brace.substr(0, behind_brace.find_first_of("} \t\n"));
  return inside.size() < behind_brace.size() && behind_brace[inside.size()] == '}'
         && (inside.find(',') != inside.npos || inside.find("..") != inside.npos);
}

bool is_part_of_path(char c) { return is_part_of_name(c) || c == '/' || c == '.' || c == '-' || c == '$'; }

/// `[` is a program, and `[[` a word of the shell.
bool is_pattern(char c, std::string_view before, std::string_view behind) {
  bool is_test = c == '[' && (before.empty() || before == "[")
                 && (behind.empty() || is_blank(behind.front()) || behind.starts_with("[ "));
  return c == '*' || c == '?' || (c == '[' && !is_test) || (c == '{' && is_brace_list(behind));
}

/// What a text prints, if that is known.
std::optional<std::string> known_output(const shell_text& text, const text_scope& scope) {
  using strings = std::vector<std::string>;
  strings words;
  if (text.commands.size() != 1)
    return std::nullopt;
  for (auto& word : text.commands[0].words) {
    if (word.is_unknown)
      return std::nullopt;
    words.push_back(word.text);
  }
  if (words == strings{"pwd"} || words == strings{"pwd", "-P"} || words == strings{"pwd", "-L"})
    return "$PWD";
  bool is_top =
    words == strings{"git", "rev-parse", "--show-toplevel"} || words == strings{"git", "rev-parse", "--show-cdup"};
  if (is_top)
    return scope.top.empty() ? std::nullopt : std::optional{scope.top};
  if (words.size() == 2 && words[0] == "dirname") {
    auto parent = std::filesystem::path{words[1]}.parent_path().string();
    return parent.empty() ? "." : parent;
  }
  bool is_search = words.size() > 1 && (words[0] == "which" || (words[0] == "command" && words[1] == "-v"));
  return is_search ? std::optional{words.back()} : std::nullopt;
}

class text_reader {
public:
  text_reader(std::string_view text, text_scope& scope, size_t depth, size_t& words_left)
    : text_(text),
      scope_(scope),
      depth_(depth),
      words_left_(words_left) {}

  shell_text read() && {
    while (at_ < text_.size() && out_.doubt.empty())
      step();
    end_command();
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
    while (!rest().empty() && is_blank(rest().front()))
      ++at_;
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
    else {
      bool is_pipe = rest().starts_with('|') && !rest().starts_with("||");
      end_command();
      at_ += rest().starts_with("||") || rest().starts_with("&&") ? 2 : 1;
      command_.is_behind_pipe = is_pipe;
    }
  }

  void end_command() {
    note_variables();
    auto ended = std::exchange(command_, {});
    if (!ended.words.empty() || !ended.inputs.empty())
      out_.commands.push_back(std::move(ended));
  }

  /// What a later command may refer to. A variable that gets another value, or one of many, is not known.
  void note_variables() {
    auto& words = command_.words;
    bool is_loop = words.size() > 1 && (words[0].text == "for" || words[0].text == "select" || words[0].text == "read");
    for (size_t i = 1; is_loop && i < words.size(); ++i)
      unknown_[words[i].text] = true;
    for (auto& word : words)
      if (auto name = std::string{assigned_in(word.text)}; !name.empty()) {
        auto value = word.text.substr(name.size() + 1);
        auto known = scope_.variables.find(name);
        bool is_other = known != scope_.variables.end() && known->second != value && name != "PATH";
        unknown_[name] = unknown_[name] || word.is_unknown || is_other;
        scope_.variables[name] = std::move(value);
      }
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
    read_target();
  }

  void read_input() {
    if (rest().starts_with("<<") && !rest().starts_with("<<<"))
      return doubt("a here-document");
    bool is_descriptor = rest().starts_with("<&");
    if (!skip("<<<") && !skip("<&") && !skip("<>"))
      skip("<");
    auto word = read_target();
    if (!is_descriptor)
      command_.inputs.push_back(std::move(word));
  }

  text_word read_target() {
    while (!rest().empty() && is_blank(rest().front()))
      ++at_;
    return read_word();
  }

  text_word read_word() {
    text_word word;
    read_tilde(word);
    while (!rest().empty() && !is_blank(rest().front()) && out_.doubt.empty()
           && (!is_operator(rest().front()) || rest().starts_with("<(") || rest().starts_with(">(")))
      add_part(word);
    if (word.text.find('\0') != word.text.npos)
      word = {"", true, ""};
    return word;
  }

  void read_tilde(text_word& word) {
    if (!rest().starts_with('~'))
      return;
    auto name = rest().substr(0, rest().find_first_of("/ \t\r\n;&|()<>"));
    word.text = name == "~" ? scope_.home : name == "~+" ? "$PWD" : "";
    word.is_unknown = word.text.empty();
    at_ += name.size();
  }

  void add_part(text_word& word) {
    if (skip("'"))
      return add_until_quote(word);
    if (skip("\"") || skip("$\""))
      return add_double_quoted(word);
    if (rest().starts_with("$'"))
      return add_escapes(word);
    if (skip("\\")) {
      if (!rest().empty() && !skip("\n"))
        word.text += text_[at_++];
      return;
    }
    if (add_expansion(word))
      return;
    char c = text_[at_++];
    word.is_unknown = word.is_unknown || is_pattern(c, word.text, rest());
    word.text += c;
  }

  void add_until_quote(text_word& word) {
    auto end = rest().find('\'');
    word.text += rest().substr(0, end);
    at_ += std::min(end, rest().size());
    if (!skip("'"))
      doubt("a quote that is open");
  }

  void add_escapes(text_word& word) {
    at_ += 2;
    auto begin = at_;
    for (; !rest().empty() && rest().front() != '\''; ++at_)
      at_ += rest().front() == '\\' ? 1 : 0;
    auto inside = text_.substr(std::min(begin, text_.size()), at_ - begin);
    word.is_unknown = word.is_unknown || inside.find('\\') != inside.npos;
    word.text += inside;
    if (!skip("'"))
      doubt("a quote that is open");
  }

  void add_double_quoted(text_word& word) {
    while (!rest().empty() && !rest().starts_with('"') && out_.doubt.empty())
      if (rest().size() > 1 && rest()[0] == '\\' && std::string_view{"\"\\$`\n"}.find(rest()[1]) != std::string::npos) {
        word.text += rest()[1] == '\n' ? std::string{} : std::string{rest()[1]};
        at_ += 2;
      } else if (!add_expansion(word)) {
        word.text += text_[at_++];
      }
    if (!skip("\""))
      doubt("a quote that is open");
  }

  /// False: none begins here.
  bool add_expansion(text_word& word) {
    if (rest().starts_with("$(("))
      return add_unknown(word, behind_bracket(text_, at_ + 2, '(', ')'));
    if (rest().starts_with("$(") || rest().starts_with("<(") || rest().starts_with(">("))
      return add_output(word, rest().front() == '$');
    if (rest().starts_with('`'))
      return add_backticks(word);
    if (rest().starts_with("${"))
      return add_braced(word);
    if (!rest().starts_with('$') || rest().size() == 1)
      return false;
    auto end = end_of_name(text_, at_ + 1);
    bool is_special = end == at_ + 1 || is_digit(rest()[1]);
    if (is_special && !is_digit(rest()[1]) && std::string_view{"@*#?$!-"}.find(rest()[1]) == std::string_view::npos)
      return false;
    auto name = is_special ? rest().substr(1, 1) : text_.substr(at_ + 1, end - at_ - 1);
    at_ += 1 + name.size();
    add_variable(word, name);
    return true;
  }

  bool add_unknown(text_word& word, size_t end) {
    word.is_unknown = true;
    if (end > text_.size())
      doubt("a bracket that is open");
    at_ = std::min(end, text_.size());
    return true;
  }

  /// What a text is given as `$1` is among the words of the one who gives it, as long as nothing is put beside it.
  void add_variable(text_word& word, std::string_view name) {
    bool is_position = !name.empty() && (is_digit(name[0]) || !is_part_of_name(name[0]));
    bool is_whole = word.text.empty() && (rest().empty() || !is_part_of_path(rest().front()));
    auto value = is_position ? std::optional{std::string{}} : value_of(name);
    word.is_unknown = word.is_unknown || !value || (is_position && !is_whole);
    word.text += value.value_or("");
  }

  std::optional<std::string> value_of(std::string_view name) const {
    if (name == "PWD")
      return "$PWD";
    auto known = scope_.variables.find(std::string{name});
    auto unknown = unknown_.find(std::string{name});
    if (unknown != unknown_.end() && unknown->second)
      return std::nullopt;
    if (known != scope_.variables.end())
      return known->second;
    return name == "HOME" && !scope_.home.empty() ? std::optional{scope_.home} : std::nullopt;
  }

  /// `${NAME}`, and `${NAME:-otherwise}` of one that is known.
  bool add_braced(text_word& word) {
    auto end = behind_bracket(text_, at_ + 2, '{', '}');
    if (end > text_.size())
      return add_unknown(word, end);
    auto inside = text_.substr(at_ + 2, end - at_ - 3);
    auto name = inside.substr(0, std::max<size_t>(end_of_name(inside, 0), inside.size() == 1 ? 1 : 0));
    auto behind = inside.substr(name.size());
    bool is_plain = !name.empty() && (behind.empty() || behind.starts_with(":-") || behind.starts_with(":="));
    if (!is_plain)
      return add_unknown(word, end);
    at_ = end;
    add_variable(word, name);
    return true;
  }

  bool add_output(text_word& word, bool is_text) {
    auto begin = at_ + 2, end = behind_bracket(text_, begin, '(', ')');
    if (end > text_.size())
      return add_unknown(word, end);
    at_ = end;
    add_nested(word, text_.substr(begin, end - begin - 1), is_text);
    return true;
  }

  bool add_backticks(text_word& word) {
    std::string inside;
    for (++at_; !rest().empty() && rest().front() != '`'; ++at_) {
      if (rest().size() > 1 && rest()[0] == '\\' && (rest()[1] == '`' || rest()[1] == '\\' || rest()[1] == '$'))
        ++at_;
      inside += text_[at_];
    }
    if (!skip("`"))
      doubt("a backtick that is open");
    add_nested(word, inside, true);
    return true;
  }

  void add_nested(text_word& word, std::string_view inside, bool is_text) {
    if (depth_ >= nested_texts_max)
      return doubt("more texts in one another than are looked at");
    auto inner_scope = scope_;
    auto inner = text_reader{inside, inner_scope, depth_ + 1, words_left_}.read();
    if (!inner.doubt.empty())
      doubt(inner.doubt);
    auto printed = is_text ? known_output(inner, scope_) : std::nullopt;
    bool is_whole = word.text.empty() && !word.is_unknown;
    word.is_unknown = word.is_unknown || !printed;
    word.text += printed.value_or("");
    word.printed_by.clear();
    if (is_whole && inner.commands.size() == 1 && !inner.commands[0].words.empty())
      word.printed_by = std::filesystem::path{inner.commands[0].words[0].text}.filename().string();
    for (auto& command : inner.commands)
      out_.commands.push_back(std::move(command));
  }

  std::string_view text_;
  text_scope& scope_;
  size_t depth_;
  size_t& words_left_;
  size_t at_ = 0;
  std::map<std::string, bool> unknown_; ///< variables
  text_command command_;
  shell_text out_;
};

} // namespace

shell_text read_shell_text(std::string_view text, const text_scope& scope) {
  auto own = scope;
  size_t words_left = text_words_max;
  return text_reader{text, own, 0, words_left}.read();
}

std::string_view assigned_in(std::string_view word) {
  auto end = end_of_name(word, 0);
  return end > 0 && end < word.size() && word[end] == '=' && !is_digit(word[0]) ? word.substr(0, end)
                                                                                : std::string_view{};
}

} // namespace config
