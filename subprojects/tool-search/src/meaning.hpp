// The words of a question as terms of an index.
#pragma once

#include "question.hpp"
#include "tool_search/search_index.hpp"

#include <string>
#include <vector>

namespace tool_search {

/// A term that a word may mean, and what it is worth: its rarity, times less than 1 if it is not the word itself.
struct reading {
  term_id term = no_term;
  float share = 1;
  float value = 0;
};

struct meaning {
  term_id own = no_term; ///< no_term: the index does not know the word
  float weight = 1;
  float value = 0;      ///< rarity of the word itself
  bool is_verb = false; ///< it says what is to be done, and not with what
  std::vector<reading> readings;
};

/// Two words that stand side by side in the question.
struct pair_of_terms {
  uint32_t hash; ///< pair_hash()
  float value;
};

/// All or a part of a question.
struct meanings {
  std::vector<meaning> words; ///< each stem once, with the greatest of its weights
  std::vector<pair_of_terms> pairs;
  uint8_t asked = 0; ///< of action: what the first verb of each sentence asks for
};

/// Adds synonyms, words that were written apart or together (`host pool`, `hostpool`), and for words that the index
/// does not know what they may have been meant to be.
meanings understand(const search_index& index, const sentence& words);

/// All that the sentences mean.
meanings together(const std::vector<meanings>& sentences);

} // namespace tool_search
