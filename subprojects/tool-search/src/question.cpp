#include "question.hpp"

#include "tool_search/words.hpp"

#include <cctype>

namespace tool_search {

namespace {

bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// What closes a value that `open` begins; 0: it begins none.
char closing(char open) {
  switch (open) {
    case '<': return '>';
    case '{': return '}';
    case '"':
    case '\'':
    case '`': return open;
    default: return 0;
  }
}

class question_reader {
public:
  question_reader(std::string_view text, const weights& w) : text_(text.substr(0, question_bytes_max)), weights_(w) {}

  std::vector<sentence> read() {
    next_sentence();
    size_t from = 0;
    for (size_t i = 0; i < text_.size();) {
      if (auto end = end_of_value(i); end > i) {
        add(from, i, 1);
        add(i, end, weights_.value);
        i = from = end;
      } else if (ends_sentence(i)) {
        add(from, i, 1);
        next_sentence();
        from = ++i;
      } else {
        ++i;
      }
    }
    add(from, text_.size(), 1);
    if (out_.back().empty())
      out_.pop_back();
    return std::move(out_);
  }

private:
  /// Past the closing sign of the value that begins at `at`; `at`: none does. An apostrophe inside of a word is no
  /// quote.
  size_t end_of_value(size_t at) const {
    auto close = closing(text_[at]);
    if (close == 0 || (close == '\'' && at > 0 && is_alnum(text_[at - 1])))
      return at;
    auto end = text_.find(close, at + 1);
    while (close == '\'' && end != text_.npos && end + 1 < text_.size() && is_alnum(text_[end + 1]))
      end = text_.find(close, end + 1);
    return end == text_.npos ? at : end + 1;
  }
  bool ends_sentence(size_t at) const {
    if (text_[at] == '\n')
      return true;
    bool is_stop = text_[at] == '.' || text_[at] == '?' || text_[at] == '!' || text_[at] == ';';
    return is_stop && at + 1 < text_.size() && is_blank_character(text_[at + 1]);
  }
  void next_sentence() {
    in_context_ = false;
    if (out_.empty() || (!out_.back().empty() && out_.size() < question_sentences_max))
      out_.emplace_back();
  }
  void add(size_t from, size_t to, float weight) {
    for (auto& w : words_of(text_.substr(from, to - from))) {
      in_context_ |= begins_context(w.text);
      if (!is_filler(w.text) && out_.back().size() < question_words_max)
        out_.back().push_back({std::move(w.text), in_context_ ? weight * weights_.context : weight, w.is_whole});
    }
  }

  std::string_view text_;
  const weights& weights_;
  std::vector<sentence> out_;
  bool in_context_ = false;
};

} // namespace

std::vector<sentence> read_question(std::string_view text, const weights& w) { return question_reader{text, w}.read(); }

} // namespace tool_search
