// Names of servers and tools: `mcp__<server>__<tool>`, and which tool is meant by a name.
#pragma once

#include "text/aliases.hpp"
#include "text/nearest.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace proxy {

/// Between the server and the tool of a full name.
inline constexpr std::string_view name_separator = "__";

std::string full_name(std::string_view server, std::string_view tool);

struct split_name {
  std::string server;
  std::string tool;
};
/// Splits at the longest of `servers` that fits, so that dots, slashes, spaces and `__` in names all work. Without one
/// that fits: at the first `__` behind the prefix. Nothing: `name` has not the form of a full name.
std::optional<split_name> split(std::string_view name, const std::vector<std::string>& servers);

/// Tools of one server, or servers, by every spelling: made once, asked for each call.
class name_table {
public:
  explicit name_table(const std::vector<std::string_view>& names = {});
  /// The place of the one that is meant: the raw name; else the one with such an alias (text::unique_aliases); else any
  /// spelling that differs only in case and punctuation, if it is the only one. -1: none.
  int find(std::string_view wanted) const;
  /// Whether both of its natural aliases mean the one of this name, and not another that is spelled alike.
  bool is_found_by_aliases(std::string_view name) const;

private:
  std::unordered_map<std::string, int> exact_;
  std::unordered_map<std::string, int> skeletons_; ///< -1: of several
};

using text::aliases;
using text::aliases_of;
using text::edit_distance;
using text::nearest;

} // namespace proxy
