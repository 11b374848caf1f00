#include "proxy/names.hpp"

#include <cctype>

namespace proxy {

namespace {

constexpr std::string_view prefix = "mcp__";
constexpr std::string_view separator = "__";

/// Of which of `names` this is the alias because another one has the natural one. -1: of none.
int numbered_alias(std::string_view wanted, const std::vector<std::string_view>& names) {
  if (wanted.empty() || !std::isdigit(static_cast<unsigned char>(wanted.back())))
    return -1;
  auto all = msg::unique_aliases(names);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].camel == wanted || all[i].snake == wanted)
      return static_cast<int>(i);
  return -1;
}

} // namespace

std::string full_name(std::string_view server, std::string_view tool) {
  std::string out{prefix};
  return out.append(server).append(separator).append(tool);
}

std::optional<split_name> split(std::string_view name, const std::vector<std::string>& servers) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  auto rest = name.substr(prefix.size());
  const std::string* best = nullptr;
  for (auto& s : servers)
    if (rest.size() > s.size() + separator.size() && rest.starts_with(s) && rest.substr(s.size()).starts_with(separator))
      best = !best || s.size() > best->size() ? &s : best;
  auto end = best ? best->size() : rest.find(separator);
  if (end == rest.npos || end == 0 || end + separator.size() >= rest.size())
    return std::nullopt;
  return split_name{std::string{rest.substr(0, end)}, std::string{rest.substr(end + separator.size())}};
}

int resolve(std::string_view wanted, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == wanted)
      return static_cast<int>(i);
  for (size_t i = 0; i < names.size(); ++i) { // natural aliases belong to the first that has them
    auto a = msg::aliases_of(names[i]);
    if (a.camel == wanted || a.snake == wanted)
      return static_cast<int>(i);
  }
  if (auto numbered = numbered_alias(wanted, names); numbered >= 0)
    return numbered;
  int only = -1;
  auto bare = msg::skeleton(wanted);
  for (size_t i = 0; i < names.size() && !bare.empty(); ++i) {
    if (msg::skeleton(names[i]) != bare)
      continue;
    if (only >= 0)
      return -1; // ambiguous
    only = static_cast<int>(i);
  }
  return only;
}

} // namespace proxy
