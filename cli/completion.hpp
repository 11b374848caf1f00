// What a shell offers for a word of the command line that is being typed.
#pragma once

#include "cli/word_tree.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// More are of no use to a person.
inline constexpr size_t candidates_max = 5'000;

/// Names that are not known before they are asked for. Empty: none are known.
struct name_source {
  std::function<std::vector<std::string>()> servers;
  std::function<std::vector<std::string>(const std::string& server)> tools;
  std::function<std::vector<std::string>(const std::string& server, const std::string& tool)> parameters;
};

enum class offer_kind : uint8_t {
  words,
  beginnings, ///< each goes on: no blank follows
  files,
  folders,
};

struct offer {
  offer_kind kind = offer_kind::words;
  struct candidate {
    std::string word; ///< the whole word; it begins with what was typed, and has no control characters
    std::string about;
  };
  std::vector<candidate> candidates;
};

/// `words`: behind the name of the program, unquoted; the last one is being typed, and may be empty.
offer complete(const verb_words& root, const std::vector<std::string>& words, const name_source& names);

/// A line as a person types it into a POSIX shell, up to the cursor.
struct typed_line {
  std::vector<std::string> words; ///< behind the name of the program, without quotes; the last one is not ended
  char quote = 0;                 ///< that is open in the last one
  size_t replaced_from = 0;       ///< of the last one: bash replaces what is behind the last `=`, `:` or `@` alone
};
typed_line read_line(std::string_view line);

/// What bash puts in the place of the word: the candidate from there on, quoted. Empty: it can not stand
/// within that quote.
std::string for_bash(const std::string& candidate, const typed_line& line);

} // namespace cli
