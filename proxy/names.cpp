#include "proxy/names.hpp"

#include "text/printable.hpp"

#include <algorithm>

namespace proxy {

namespace {

constexpr std::string_view prefix = "mcp__";

} // namespace

std::string full_name(std::string_view server, std::string_view tool) {
  std::string out{prefix};
  return out.append(server).append(name_separator).append(tool);
}

std::optional<split_name> split(std::string_view name, const std::vector<std::string>& servers) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  auto rest = name.substr(prefix.size());
  const std::string* best = nullptr;
  for (auto& s : servers)
    if (rest.size() > s.size() + name_separator.size() && rest.starts_with(s)
        && rest.substr(s.size()).starts_with(name_separator))
      best = !best || s.size() > best->size() ? &s : best;
  auto end = best ? best->size() : rest.find(name_separator);
  if (end == rest.npos || end == 0 || end + name_separator.size() >= rest.size())
    return std::nullopt;
  return split_name{std::string{rest.substr(0, end)}, std::string{rest.substr(end + name_separator.size())}};
}

name_table::name_table(const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    exact_.emplace(names[i], static_cast<int>(i));
  auto aliases = text::unique_aliases(names);
  for (size_t i = 0; i < names.size(); ++i) {
    exact_.emplace(std::move(aliases[i].camel), static_cast<int>(i));
    exact_.emplace(std::move(aliases[i].snake), static_cast<int>(i));
    auto [known, is_new] = skeletons_.emplace(text::skeleton(names[i]), static_cast<int>(i));
    if (!is_new)
      known->second = -1;
  }
  skeletons_.erase(std::string{}); // names of other scripts have none
}

bool name_table::is_found_by_aliases(std::string_view name) const {
  auto place = find(name);
  auto natural = aliases_of(name);
  return place >= 0 && find(natural.camel) == place && find(natural.snake) == place;
}

int name_table::find(std::string_view wanted) const {
  if (auto found = exact_.find(std::string{wanted}); found != exact_.end())
    return found->second;
  if (text::find_control(wanted) != wanted.npos)
    return -1; // no program spells a name with it
  auto found = skeletons_.find(text::skeleton(wanted));
  return found == skeletons_.end() ? -1 : found->second;
}

} // namespace proxy
