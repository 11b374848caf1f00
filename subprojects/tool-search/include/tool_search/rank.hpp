// Which tools a question is about, best first: BM25F for each word, then what whole names, pairs of words and sentences
// tell about the best of them. docs/search.md explains the method and what each part is worth.
#pragma once

#include "tool_search/search_index.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tool_search {

/// Tools that are looked at closely: of the question, and of each sentence of several.
constexpr size_t candidates_max = 200;
constexpr size_t sentence_candidates_max = 50;

struct search_request {
  std::string_view text;
  std::string_view server; ///< only its tools; empty: of any
  size_t limit = 10;       ///< tools that differ; 0: as many as there are candidates
  /// By number of the tool: whether it may be found. nullptr: all may. Not owned.
  const std::vector<bool>* allowed = nullptr;
};

/// Exact and prefix names go before everything else.
enum class name_match : uint8_t { none, prefix, exact };

struct hit {
  uint32_t tool = 0; ///< its number in the index
  float score = 0;   ///< comparable within one answer only
  name_match name = name_match::none;
  bool is_deprecated = false; ///< it says so itself
  /// The same tool on near-identical servers, in the order in which they would have come.
  std::vector<uint32_t> same;
};

/// How well the best hit fits.
enum class fit : uint8_t {
  nothing, ///< no tool has any of the words
  poor,    ///< most of what was asked for is in no tool: to be said along with the hits
  good,
};

struct search_answer {
  std::vector<hit> hits; ///< best first
  size_t matching = 0;   ///< tools that have any of the words
  fit best = fit::nothing;
};

/// A text without words finds nothing.
search_answer search(const search_index& index, const search_request& request);

} // namespace tool_search
