// What a caller asks for, as words with weights, sentence by sentence.
#pragma once

#include "tool_search/weights.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tool_search {

/// The rest of a longer text is not read. The longest of 2,000 real questions has 1,200 bytes.
constexpr size_t question_bytes_max = 4'096;
/// What comes after the last of them belongs to it.
constexpr size_t question_sentences_max = 8;
/// Per sentence, without fillers.
constexpr size_t question_words_max = 64;

struct question_word {
  std::string text;      ///< lower case
  float weight = 1;      ///< at most 1
  bool is_whole = false; ///< see word::is_whole
};

using sentence = std::vector<question_word>;

/// Without fillers and without empty sentences. A sentence ends at a new line, or at `.`, `?`, `!` or `;` before a
/// blank.
std::vector<sentence> read_question(std::string_view text, const weights& w);

} // namespace tool_search
