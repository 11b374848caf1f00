#include "proxy/summary.hpp"

#include <algorithm>

namespace proxy {

namespace {

/// So much of a text is read for each byte that is wanted: it may be mostly white space.
constexpr size_t bytes_read_per_byte = 16;
/// A shorter first sentence ("Note.") is no summary.
constexpr size_t sentence_bytes_min = 12;
constexpr std::string_view more = "...";

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Collects words up to a length, and remembers where sentences end.
class shortener {
public:
  explicit shortener(size_t bytes_max) : bytes_max_(bytes_max) {}

  /// False: it is full.
  bool add(char c) {
    if (is_blank(c)) {
      lines_ += c == '\n' ? 1 : 0;
      gap_ = !text_.empty();
      return true;
    }
    if (gap_) {
      if (ends_sentence(c))
        sentence_ = text_.size();
      word_ = text_.size();
      text_ += ' ';
    }
    gap_ = false;
    lines_ = 0;
    text_ += c;
    if (text_.ends_with("\u3002")) // the full stop of East Asia, which no blank follows
      sentence_ = text_.size() <= bytes_max_ ? text_.size() : sentence_;
    return text_.size() <= bytes_max_;
  }

  std::string whole() && { return std::move(text_); }

  std::string cut() && {
    if (sentence_ >= sentence_bytes_min)
      return text_.substr(0, sentence_);
    auto room = bytes_max_ - std::min(bytes_max_, more.size());
    auto end = std::min(room, text_.size());
    while (end > 0 && !begins_character(text_[end]))
      --end;
    if (word_ <= end && word_ > end / 2)
      end = word_;
    return text_.substr(0, end).append(more);
  }

private:
  /// Behind a full stop a small letter goes on with the sentence ("e.g. this"); an empty line ends one in any case.
  bool ends_sentence(char next) const {
    bool has_stop = text_.ends_with('.') || text_.ends_with('!') || text_.ends_with('?');
    return lines_ > 1
           || (has_stop && !(next >= 'a' && next <= 'z') && !text_.ends_with("e.g.") && !text_.ends_with("i.e."));
  }

  size_t bytes_max_;
  std::string text_;
  size_t sentence_ = 0; ///< end of the last sentence that is whole
  size_t word_ = 0;     ///< end of the last word that is whole
  size_t lines_ = 0;    ///< in the gap
  bool gap_ = false;
};

} // namespace

std::string summary(std::string_view text, size_t bytes_max) {
  shortener s{bytes_max};
  auto read = text.substr(0, bytes_max * bytes_read_per_byte);
  for (char c : read)
    if (!s.add(c))
      return std::move(s).cut();
  return read.size() < text.size() ? std::move(s).cut() : std::move(s).whole();
}

} // namespace proxy
