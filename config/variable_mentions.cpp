#include "config/variable_mentions.hpp"

#include "config/shell_characters.hpp"

#include <algorithm>

namespace config {

namespace {

bool is_read_only(std::string_view before, std::string_view behind) {
  if (before.ends_with("${"))
    return !behind.starts_with('=') && !behind.starts_with(":=");
  return before.ends_with('$');
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// `set -e;`, `set -euo pipefail &&`: options, and no words that become `$1`.
bool sets_options_only(std::string_view behind) {
  for (auto rest = without_blanks(behind); !rest.empty() && !is_operator(rest.front()); rest = without_blanks(rest)) {
    auto word = rest.substr(0, rest.find_first_of(" \t\n;&|()<>"));
    bool is_option = word.size() > 1 && (word[0] == '-' || word[0] == '+')
                     && std::all_of(word.begin() + 1, word.end(), is_part_of_name);
    if (!is_option && word != "pipefail")
      return false;
    rest.remove_prefix(word.size());
  }
  return true;
}

/// Those that a backslash takes away.
std::string without_line_ends(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto end = std::min(text.find("\\\n"), text.size());
    out += text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

bool defines_function(std::string_view text) {
  for (auto at = text.find('('); at != text.npos; at = text.find('(', at + 1))
    if (without_blanks(text.substr(at + 1)).starts_with(')'))
      return true;
  return false;
}

} // namespace

variable_mentions::variable_mentions(const std::vector<std::string>& words) {
  for (auto& word : words) {
    auto joined = without_line_ends(word);
    note(joined);
    if (joined.size() != word.size() && word.find('#') != word.npos) // in comments nothing is taken away
      note(word);
  }
}

size_t variable_mentions::of(std::string_view name) const {
  auto found = times_.find(name);
  return found == times_.end() ? 0 : found->second;
}

void variable_mentions::note(std::string_view text) {
  are_positions_kept_ = are_positions_kept_ && !defines_function(text);
  for (size_t at = 0; at < text.size();) {
    if (!is_part_of_name(text[at])) {
      ++at;
      continue;
    }
    auto end = at;
    while (end < text.size() && is_part_of_name(text[end]))
      ++end;
    auto name = text.substr(at, end - at), behind = text.substr(end);
    bool is_set = (name == "set" && !sets_options_only(behind)) || name == "function";
    are_positions_kept_ = are_positions_kept_ && !is_set;
    if (!is_digit(name[0]) && !is_read_only(text.substr(0, at), behind))
      ++times_[std::string{name}];
    at = end;
  }
}

} // namespace config
