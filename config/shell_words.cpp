#include "config/shell_words.hpp"

#include "config/shell_characters.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace config {

namespace {

/// People write a handful. What is over it is not looked at.
constexpr size_t script_words_max = 1'000;

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

class script_reader {
public:
  script_reader(std::string_view text, std::string_view home) : text_(text), home_(home) {}

  std::optional<shell_script> read() && {
    while (is_plain_ && !rest().empty())
      step();
    end_command();
    return is_plain_ ? std::optional{std::move(out_)} : std::nullopt;
  }

private:
  std::string_view rest() const { return text_.substr(at_); }
  bool skip(std::string_view what) {
    bool is_next = rest().starts_with(what);
    at_ += is_next ? what.size() : 0;
    return is_next;
  }
  void skip_blanks() { at_ += blanks_before_word(rest()); }

  void step() {
    skip_blanks();
    if (skip("\n") || skip("&&") || skip(";"))
      return end_command();
    if (rest().starts_with('#'))
      at_ += std::min(rest().find('\n'), rest().size());
    else if (rest().starts_with('>'))
      skip_redirection();
    else if (!rest().empty() && is_operator(rest().front()))
      is_plain_ = false;
    else if (!rest().empty())
      take_word();
  }

  void end_command() {
    if (!command_.empty())
      out_.commands.push_back(std::exchange(command_, {}));
  }

  void take_word() {
    auto begin = at_;
    auto word = read_word();
    bool is_descriptor = is_number(text_.substr(begin, at_ - begin)) && rest().starts_with('>');
    if (is_descriptor)
      return skip_redirection();
    is_plain_ = is_plain_ && ++words_ <= script_words_max;
    command_.push_back(std::move(word));
  }

  /// `> file`, `>> file`, `>& 2`
  void skip_redirection() {
    if (!skip(">>") && !skip(">&") && !skip(">|"))
      skip(">");
    skip_blanks();
    is_plain_ = is_plain_ && !rest().empty() && !is_operator(rest().front());
    read_word();
  }

  /// One that is not empty begins here.
  std::string read_word() {
    std::string word;
    bool is_unread = false;
    if (rest().starts_with("~/") && !home_.empty()) {
      word = home_;
      ++at_;
    }
    while (is_plain_ && !rest().empty() && !is_blank(rest().front()) && !is_operator(rest().front()))
      is_unread = !add_part(word) || is_unread;
    return is_unread || word.find('\0') != word.npos ? std::string{unread_word} : word;
  }

  /// False: what it stands for can not be told.
  bool add_part(std::string& word) {
    if (skip("'"))
      return add_until_quote(word);
    if (skip("\""))
      return add_double_quoted(word);
    if (skip("\\"))
      return add_escaped(word);
    return add_character(word, "`$*?[{");
  }

  bool add_until_quote(std::string& word) {
    auto end = rest().find('\'');
    is_plain_ = end != rest().npos;
    word += rest().substr(0, end);
    at_ += is_plain_ ? end + 1 : rest().size();
    return true;
  }

  bool add_double_quoted(std::string& word) {
    bool is_read = true;
    while (!rest().empty() && !rest().starts_with('"')) {
      if (rest().front() == '\\' && rest().size() > 1
          && std::string_view{"\"\\$`"}.find(rest()[1]) != std::string_view::npos) {
        word += rest()[1];
        at_ += 2;
      } else {
        is_read = add_character(word, "`$") && is_read;
      }
    }
    is_plain_ = is_plain_ && skip("\"");
    return is_read;
  }

  bool add_escaped(std::string& word) {
    if (rest().empty())
      return false;
    if (!skip("\n")) // which continues the line
      word += text_[at_++];
    return true;
  }

  bool add_character(std::string& word, std::string_view special) {
    if (add_home(word))
      return true;
    word += text_[at_];
    return special.find(text_[at_++]) == special.npos;
  }

  /// Not of `$HOMEPAGE`.
  bool add_home(std::string& word) {
    bool is_braced = rest().starts_with("${HOME}");
    bool is_bare = rest().starts_with("$HOME") && (rest().size() == 5 || !is_part_of_name(rest()[5]));
    if (home_.empty() || (!is_braced && !is_bare))
      return false;
    word += home_;
    at_ += is_braced ? 7 : 5;
    return true;
  }

  std::string_view text_, home_;
  size_t at_ = 0, words_ = 0;
  bool is_plain_ = true;
  std::vector<std::string> command_;
  shell_script out_;
};

/// Goes on where a script_reader gives up.
class script_splitter {
public:
  explicit script_splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> split() && {
    while (at_ < text_.size())
      step(text_[at_++]);
    end_word();
    return std::move(words_);
  }

private:
  void step(char c) {
    bool is_end = is_blank(c) || is_operator(c);
    if (c == '\\' && quote_ != '\'' && at_ < text_.size())
      add_escaped();
    else if (quote_ != '\0')
      add_quoted(c);
    else if (c == '"' || c == '\'')
      open_quote(c);
    else if (c == '#' && word_.empty())
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (is_end)
      end_word();
    else
      word_ += c;
  }

  /// An end of line behind a backslash continues the line.
  void add_escaped() {
    if (auto c = text_[at_++]; c != '\n')
      word_ += c;
  }

  void add_quoted(char c) {
    if (c == quote_)
      quote_ = '\0';
    else
      word_ += c;
  }

  /// `$'...'` and `$"..."` are texts, too.
  void open_quote(char c) {
    quote_ = c;
    if (word_.ends_with('$'))
      word_.pop_back();
  }

  void end_word() {
    if (!word_.empty())
      words_.push_back(std::exchange(word_, {}));
  }

  std::string_view text_;
  size_t at_ = 0;
  char quote_ = '\0';
  std::string word_;
  std::vector<std::string> words_;
};

} // namespace

std::vector<std::string> split_words(std::string_view text) {
  if (text.size() > msg::limits::argument_bytes_max)
    return {std::string{text}};
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_quote = quote != '\0' ? c == quote : c == '"' || c == '\'';
    if (c == '\\' && i + 1 < text.size())
      word += text[++i];
    else if (is_quote)
      quote = quote == '\0' ? c : '\0';
    else if (c != ' ' || quote != '\0')
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  }
  if (!word.empty())
    words.push_back(std::move(word));
  return words;
}

std::vector<std::string> split_script(std::string_view text) {
  if (text.size() > msg::limits::argument_bytes_max)
    return {std::string{text}};
  return script_splitter{text}.split();
}

std::optional<shell_script> read_script(std::string_view script, std::string_view home) {
  if (script.size() > msg::limits::argument_bytes_max)
    return std::nullopt;
  return script_reader{script, home}.read();
}

} // namespace config
