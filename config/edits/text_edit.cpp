#include "config/edits/text_edit.hpp"

#include <algorithm>

namespace edits {

namespace {

constexpr std::string_view blanks = " \t";

} // namespace

std::string apply_edits(std::string_view text, const text_edits& edits) {
  std::string out;
  size_t at = 0;
  for (auto& edit : edits) {
    out.append(text.substr(at, edit.begin - at)).append(edit.with);
    at = edit.end;
  }
  return out.append(text.substr(at));
}

std::string newline_of(std::string_view text) {
  auto end = text.find('\n');
  return end != text.npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

size_t line_begin(std::string_view text, size_t offset) {
  auto end = text.substr(0, offset).rfind('\n');
  return end == text.npos ? 0 : end + 1;
}

size_t line_end(std::string_view text, size_t offset) {
  auto end = std::min(text.find('\n', offset), text.size());
  return end > offset && end < text.size() && text[end - 1] == '\r' ? end - 1 : end;
}

size_t next_line(std::string_view text, size_t offset) {
  auto end = text.find('\n', offset);
  return end == text.npos ? text.size() : end + 1;
}

std::string indent_of(std::string_view text, size_t offset) {
  auto line = text.substr(line_begin(text, offset));
  return std::string{line.substr(0, std::min(line.find_first_not_of(blanks), line.size()))};
}

bool is_first_of_line(std::string_view text, size_t offset) {
  auto begin = line_begin(text, offset);
  return text.substr(begin, offset - begin).find_first_not_of(blanks) == std::string_view::npos;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

} // namespace edits
