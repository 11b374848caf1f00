// The lines of a text that mean something: no comments, no blank ones.
#pragma once

#include "toon/options.hpp"

#include <string>
#include <string_view>

namespace toon {

struct text_line {
  size_t depth = 0;
  std::string_view content; ///< without indentation, without spaces at the end; not empty
  bool is_after_blank = false;
};

/// Looks one line ahead. The text outlives it.
class line_reader {
public:
  line_reader(std::string_view text, unsigned indent_spaces, checks mode)
    : rest_(text),
      indent_(indent_spaces),
      mode_(mode) {
    advance();
  }

  /// Null: the end, or a line with wrong indentation: problem() tells which.
  const text_line* peek() const { return has_line_ ? &line_ : nullptr; }

  /// There is a line.
  text_line take() {
    auto out = line_;
    advance();
    return out;
  }

  /// Of the indentation of the line ahead; empty: none.
  const std::string& problem() const { return problem_; }
  const char* problem_at() const { return problem_at_; }

private:
  void advance();
  bool read_line(std::string_view raw);

  std::string_view rest_;
  size_t indent_;
  checks mode_;
  bool has_line_ = false;
  text_line line_;
  std::string problem_;
  const char* problem_at_ = nullptr;
};

} // namespace toon
