// Text to words, as the index and the questions see them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace tool_search {

struct word {
  std::string text; ///< lower case
  /// A word as it was written, after the parts that case or digits split it into: `my`, `sql`, then `mysql`.
  bool is_whole = false;
};

/// Splits at case, digits and everything that is neither letter nor digit. Only ASCII changes case. A character of
/// Chinese or Japanese is a word, other scripts are split where they have spaces or punctuation of ASCII.
std::vector<word> words_of(std::string_view text);

/// Says nothing about which tool is meant: articles, pronouns, auxiliaries, "please".
bool is_filler(std::string_view word);
/// What follows says where or with what, rather than what is to be done: "in", "from", "using".
bool begins_context(std::string_view word);

/// Letters and digits in lower case: `readFile`, `read_file` and `Read file` are one name.
std::string skeleton(std::string_view name);

/// The English stems of Snowball (Porter2). Not for two threads at once.
class stemmer {
public:
  stemmer();
  /// Words that are not English come back as they are, or lose an ending on both sides alike.
  std::string stem(std::string_view word) const;

private:
  struct closes {
    void operator()(sb_stemmer* s) const;
  };
  std::unique_ptr<sb_stemmer, closes> stemmer_;
};

} // namespace tool_search
