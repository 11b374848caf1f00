#include "proxy/surface/instructions.hpp"

#include <algorithm>
#include <cctype>

namespace surface {

namespace {

constexpr size_t names_max = 30, name_bytes_max = 40;
/// Some 70 tokens: the rest of the text has 50.
constexpr size_t names_bytes_max = 220;

std::string plain(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, name_bytes_max))
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' || c == ' ' ? c : '?';
  return out;
}

} // namespace

std::string instructions(std::vector<std::string> servers) {
  std::sort(servers.begin(), servers.end());
  std::string names;
  size_t shown = 0;
  for (auto& name : servers) {
    auto next = plain(name);
    if (shown == names_max || names.size() + next.size() > names_bytes_max)
      break;
    names += (shown++ > 0 ? ", " : "") + next;
  }
  std::string text = "Runs programs that call the tools of the user's MCP servers. Use it for whatever these servers "
                     "do, for several calls at once and "
                     "for large data; programs search the tools themselves.";
  if (servers.empty())
    return text;
  return text + " Servers: " + names
         + (shown < servers.size() ? " and " + std::to_string(servers.size() - shown) + " more" : "");
}

} // namespace surface
