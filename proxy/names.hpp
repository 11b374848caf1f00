// Names of servers and tools: `mcp__<server>__<tool>`, identifier-safe aliases, and the nearest name to a wrong one.
#pragma once

#include "messages/nearest.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxy {

std::string full_name(std::string_view server, std::string_view tool);

struct split_name {
  std::string server;
  std::string tool;
};
/// Splits at the longest of `servers` that fits, so that dots, slashes, spaces and `__` in names all work. Without one
/// that fits: at the first `__` behind the prefix. Nothing: `name` has not the form of a full name.
std::optional<split_name> split(std::string_view name, const std::vector<std::string>& servers);

/// The two identifier-safe spellings of a name, as TypeScript and Python would write it: `read-file` gives `readFile`
/// and `read_file`. A leading digit and a keyword of either language are made safe with `_`.
struct aliases {
  std::string camel;
  std::string snake;
};
aliases aliases_of(std::string_view name);

/// Which of `names` is meant by `wanted`: the raw name; else the first one with such an alias; else any spelling that
/// differs only in case and punctuation, if it is the only one. -1: none.
int resolve(std::string_view wanted, const std::vector<std::string_view>& names);

using msg::edit_distance;
using msg::nearest;

} // namespace proxy
