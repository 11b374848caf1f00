// How well every tool fits a question or a sentence: BM25F of all at once, and a closer look at single ones.
#pragma once

#include "meaning.hpp"
#include "tool_search/search_index.hpp"

#include <cstdint>
#include <vector>

namespace tool_search {

/// BM25F: of every tool the sum over the words.
class scores {
public:
  scores(const search_index& index, meanings words);

  const meanings& words() const { return words_; }
  float of(uint32_t tool) const { return sums_[tool]; }
  /// Tools that have any of the words.
  size_t touched() const;
  void drop(uint32_t tool) { sums_[tool] = 0; }
  /// The best `count` tools, in no order.
  std::vector<uint32_t> best(size_t count) const;

private:
  float gain(const reading& r, float weight) const { return weight * r.value * scale_; }
  void add(const search_index& index, const reading& r, float weight);
  void add_best(const search_index& index, const meaning& m);

  meanings words_;
  float scale_;
  std::vector<float> sums_;
  std::vector<float> best_; ///< all zero between words
};

/// What only a closer look at a tool tells: neighbouring words, and how much of the name was asked for.
class closer_look {
public:
  /// Both must outlive it.
  closer_look(const search_index& index, const scores& s);
  /// 0: the tool has none of the words.
  float operator()(uint32_t tool) const;

private:
  float name_coverage(uint32_t tool) const;
  float action_bonus(uint32_t tool) const;
  bool has_only_the_verb(uint32_t tool) const;

  const search_index& index_;
  const scores& scores_;
  struct asked_term {
    term_id term;
    float share;
  };
  std::vector<asked_term> asked_; ///< by term; of equal ones the greatest share first
  struct verb_term {
    term_id term;
    uint8_t kinds; ///< of action
  };
  std::vector<verb_term> verbs_; ///< by term; empty: the question asks for no action that is known
};

} // namespace tool_search
