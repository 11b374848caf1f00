// Tools that call themselves deprecated come behind those that they name instead.
#pragma once

#include "tool_search/rank.hpp"

#include <vector>

namespace tool_search {

/// Names of a hit that are compared: those of more words, and hits beyond, are left as they are.
constexpr size_t successor_words_max = 16;
/// Deprecated tools whose successors are looked for in one answer.
constexpr size_t deprecated_hits_max = 16;

/// Marks the deprecated ones, which lose weights::deprecated of their score. A tool of the same server whose name their
/// description has is as good a hit as they would have been.
void prefer_successors(const search_index& index, std::vector<hit>& hits);

} // namespace tool_search
