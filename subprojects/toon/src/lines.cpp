#include "lines.hpp"

#include <algorithm>

namespace toon {

void line_reader::advance() {
  has_line_ = false;
  line_.is_after_blank = false;
  while (!rest_.empty() && !has_line_ && problem_.empty()) {
    auto raw = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(raw.size() + 1, rest_.size()));
    if (raw.ends_with('\r'))
      raw.remove_suffix(1);
    has_line_ = read_line(raw);
  }
}

/// False: it is a comment, or blank, or wrong.
bool line_reader::read_line(std::string_view raw) {
  auto spaces = std::min(raw.find_first_not_of(' '), raw.size());
  auto content = raw.substr(spaces);
  if (content.starts_with('#'))
    return false;
  size_t columns = spaces;
  if (content.starts_with('\t') && mode_ == checks::lenient) // a tab is a level
    for (; content.starts_with('\t') || content.starts_with(' '); content.remove_prefix(1))
      columns += content.front() == '\t' ? indent_ : 1;
  content = content.substr(0, content.find_last_not_of(' ') + 1);
  if (content.empty()) {
    line_.is_after_blank = true;
    return false;
  }
  if (mode_ == checks::strict && (content.starts_with('\t') || spaces % indent_ != 0)) {
    problem_ = content.starts_with('\t') ? "expected spaces for indentation, found a tab"
                                         : "expected a multiple of " + std::to_string(indent_)
                                             + " spaces for indentation, found " + std::to_string(spaces);
    problem_at_ = content.data();
    return false;
  }
  line_.depth = columns / indent_;
  line_.content = content;
  return true;
}

} // namespace toon
