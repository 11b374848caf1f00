// The sets of bench/data/tool-search, and how much of what was meant a search finds in them.
#pragma once

#include "tool_search/rank.hpp"

#include <map>
#include <string>
#include <vector>

namespace tool_sets {

struct query {
  std::string text;
  std::vector<std::string> gold; ///< ids of the tools that are meant
};

struct tool_set {
  std::string name;
  std::map<std::string, std::vector<tool_search::tool_text>> servers;
  std::map<std::string, std::vector<std::string>> ids; ///< likewise, of the tools
  std::vector<query> queries;
};

/// `folder` has tools.jsonl and queries.jsonl. Throws std::runtime_error if it has not.
tool_set load(const std::string& folder, const std::string& name);
/// The tools of all sets, with the questions of one of them. Servers have different names in different sets.
tool_set among_all(const std::vector<tool_set>& sets, const tool_set& asked);
tool_search::search_index index_of(const tool_set& set, const tool_search::weights& w = {});

/// Each is a mean over all queries.
struct recall {
  double first = 0;       ///< share of the gold in the first place: at most 1 / (tools that are meant)
  double among_first = 0; ///< share of the gold among the first five
  double poor = 0;        ///< of answers that do not call themselves good
};

recall measure(const tool_set& set, const tool_search::weights& w = {});

/// The least that each set must reach.
struct bar {
  const char* set;
  double among_first, first;
};
constexpr bar bars[] = {{"azure", 0.97, 0.80}, {"sealtools", 0.84, 0.43}, {"mcpproxy45", 0.75, 0.50}};

} // namespace tool_sets
