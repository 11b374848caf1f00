// Words that people and tools use for one another. A small table of general English and of computing: no product and
// no server has words in it, and nothing in it was chosen for a single question.
#pragma once

#include <string>
#include <vector>

namespace tool_search {

/// Stems that may stand for the stem. A word may be in several groups; groups are not followed on.
const std::vector<std::string>& synonyms_of(const std::string& stem);

} // namespace tool_search
