#include "succession.hpp"

#include <algorithm>

namespace tool_search {

namespace {

/// Neighbours in the name, as in pairs() of the index; empty for names of one word, and of too many.
std::vector<uint32_t> pairs_of_name(const search_index& index, uint32_t tool) {
  std::vector<uint32_t> out;
  auto last = no_term;
  size_t count = 0;
  for (auto& w : words_of(index.name_of(tool))) {
    if (w.is_whole)
      continue;
    if (++count > successor_words_max)
      return {};
    auto term = index.terms().find(index.stems().stem(w.text));
    if (last != no_term)
      out.push_back(pair_hash(last, term));
    last = term;
  }
  return out;
}

bool says(const search_index& index, uint32_t tool, const std::vector<uint32_t>& name) {
  auto pairs = index.pairs(tool);
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](auto p) {
    return std::binary_search(pairs.begin(), pairs.end(), p);
  });
}

} // namespace

void prefer_successors(const search_index& index, std::vector<hit>& hits) {
  std::vector<hit*> old;
  auto deprecated = index.deprecated();
  for (auto& h : hits) {
    auto at = std::lower_bound(deprecated.begin(), deprecated.end(), h.tool,
                               [](auto& p, uint32_t tool) { return p.tool < tool; });
    h.is_deprecated = at != deprecated.end() && at->tool == h.tool;
    if (!h.is_deprecated)
      continue;
    if (old.size() < deprecated_hits_max)
      old.push_back(&h);
  }
  for (auto& h : hits) {
    if (h.is_deprecated || old.empty())
      continue;
    auto name = pairs_of_name(index, h.tool);
    for (auto* o : old)
      if (index.server_number(o->tool) == index.server_number(h.tool) && says(index, o->tool, name)) {
        h.name = std::max(h.name, o->name);
        h.score = std::max(h.score, o->score);
      }
  }
  for (auto& h : hits)
    if (h.is_deprecated)
      h.score *= 1 - index.numbers().deprecated;
}

} // namespace tool_search
