#include "actions.hpp"

#include "tool_search/words.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace tool_search {

namespace {

struct kind_of_verbs {
  uint8_t kind;
  std::string_view words;
};

// Only verbs that name what is done in names of tools. What may be a noun as well ("order", "log", "test") says
// nothing.
constexpr kind_of_verbs kinds[] = {
  {looks, "list show get display read retrieve fetch view find search lookup query describe inspect count browse see "
          "enumerate"},
  {makes, "create add make insert register append attach write save store put set update edit change modify alter "
          "replace rename upsert remember memorize"},
  {removes, "delete remove drop erase destroy uninstall forget purge unregister detach"},
  {runs, "run exec execute invoke launch start stop restart kill terminate cancel"},
};

std::vector<verb> read_verbs() {
  stemmer s;
  std::vector<verb> out;
  for (auto& k : kinds)
    for (auto& w : words_of(k.words))
      out.push_back({s.stem(w.text), k.kind});
  return out;
}

} // namespace

std::span<const verb> verbs() {
  static const auto all = read_verbs();
  return all;
}

uint8_t action_of(const std::string& stem) {
  static const auto by_stem = [] {
    std::unordered_map<std::string, uint8_t> out;
    for (auto& v : verbs())
      out[v.stem] |= v.kinds;
    return out;
  }();
  auto at = by_stem.find(stem);
  return at == by_stem.end() ? static_cast<uint8_t>(no_action) : at->second;
}

} // namespace tool_search
