#include "mcp/salvaged_id.hpp"

#include <charconv>
#include <system_error>

namespace mcp {

int64_t salvaged_id(std::string_view line) {
  int depth = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    depth += (line[i] == '{' || line[i] == '[') - (line[i] == '}' || line[i] == ']');
    if (line[i] != '"')
      continue;
    auto begin = ++i;
    while (i < line.size() && line[i] != '"')
      i += line[i] == '\\' ? 2 : 1;
    auto value = i < line.size() ? line.find_first_not_of(" \t:", i + 1) : line.npos;
    if (depth != 1 || value == line.npos || line.substr(begin, i - begin) != "id")
      continue;
    int64_t id = 0;
    if (std::from_chars(line.data() + value, line.data() + line.size(), id).ec == std::errc{})
      return id;
  }
  return 0;
}

} // namespace mcp
