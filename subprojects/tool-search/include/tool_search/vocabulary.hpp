// The terms of an index and their numbers; which of them a mistyped or a shortened word may mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tool_search {

using term_id = uint32_t;
constexpr term_id no_term = UINT32_MAX;

/// Shorter words begin too many others, and one letter makes another word of them.
constexpr size_t prefix_length_min = 3;
constexpr size_t typo_length_min = 4;
/// From here on two letters may be wrong.
constexpr size_t two_typos_length_min = 8;
/// Terms that stand for one word of a question.
constexpr size_t guesses_max = 8;

class vocabulary {
public:
  vocabulary();

  size_t size() const { return ends_.size(); }
  std::string_view text(term_id term) const;
  /// no_term: it is not in here.
  term_id find(std::string_view text) const;
  term_id add(std::string_view text);

  /// Sorts for the two below; to be called again after add().
  void prepare();
  /// Terms that begin with the text, shortest first, at most guesses_max.
  std::vector<term_id> beginning_with(std::string_view text) const;
  /// Terms that differ by one letter, or by two if the word is long; nearest first, at most guesses_max. `length`: of
  /// the word as it was written, if the text is its stem.
  std::vector<term_id> near(std::string_view text, size_t length) const;

private:
  friend struct index_image; ///< see snapshot.cpp
  size_t slot_of(std::string_view text) const;
  /// Makes slots_ anew, at least twice as many as there are terms.
  void find_slots();

  std::string texts_; ///< one after the other
  std::vector<uint32_t> ends_;
  std::vector<term_id> slots_;    ///< hash table, a power of two, at most half full
  std::vector<term_id> sorted_;   ///< by text
  std::vector<uint32_t> letters_; ///< of each term, one bit for each
};

} // namespace tool_search
