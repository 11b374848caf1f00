// Where the options of a command line end that starts another program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace config {

/// What a program takes before the words that it is about.
struct option_table {
  std::string_view flags;       ///< letters of options without a value
  std::string_view valued;      ///< letters of options with one
  std::string_view long_flags;  ///< names, between spaces
  std::string_view long_valued; ///< names that take the next word, unless it is behind a `=`
  /// Whether long names that are not known take one too; else nothing can be said behind them.
  bool others_are_valued = false;
};

struct read_options {
  bool is_certain = false; ///< else there was an option that the table does not have, and the rest means nothing
  std::vector<std::pair<std::string, std::string>> given; ///< letter or long name, and value
  /// The first word that is no option; as many as there are words: there is none.
  size_t rest = 0;
  /// The value of the last one of that letter or name; null: it is not there.
  const std::string* find(std::string_view letter_or_name) const;
};

/// From words[first] on, up to the first word that is no option, or behind `--`.
read_options read_options_of(const std::vector<std::string>& words, size_t first, const option_table& table);

} // namespace config
