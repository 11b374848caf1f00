// A built index on disk, so that a start neither reads nor stems 23,000 tools. It is a copy of what the store says: a
// file that is damaged, of another program or of another machine is not read, and the index is made from the store.
#pragma once

#include "tool_search/search_index.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tool_search {

/// What a server's part of the index was made of.
struct indexed_list {
  std::string server;
  std::string digest;  ///< of its entry
  std::string content; ///< of its tools
  bool operator==(const indexed_list&) const = default;
};

struct snapshot {
  search_index index;
  std::vector<indexed_list> made_of;
};

/// Writes another file first and renames it: half of it is never seen. The file is for its owner alone. Empty, or why
/// it could not be done.
std::string save_snapshot(const std::string& path, const search_index& index, const std::vector<indexed_list>& made_of);

/// Nothing: there is none that can be used. 8 ms for 23,000 tools.
std::optional<snapshot> load_snapshot(const std::string& path, const weights& w = {});

} // namespace tool_search
