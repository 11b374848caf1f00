#include "proxy/allowlist.hpp"

#include "proxy/names.hpp"

#include <algorithm>

namespace proxy {

namespace {

/// What stands before the first star, without `mcp__`. Nothing: it does not begin so.
std::optional<std::string_view> fixed_part(std::string_view pattern) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto prefix = std::string_view{"mcp__"};
  return fixed.starts_with(prefix) ? std::optional{fixed.substr(prefix.size())} : std::nullopt;
}

bool begins_with(std::string_view fixed, std::string_view server) {
  return fixed.starts_with(server) && fixed.substr(server.size()).starts_with(name_separator);
}

/// How a pattern goes with a server.
enum class meaning : uint8_t { whole_names, this_server, others };

meaning meaning_of(std::string_view pattern, std::string_view server, const server_names& all) {
  auto fixed = fixed_part(pattern);
  if (!fixed)
    return meaning::whole_names;
  if (!begins_with(*fixed, server)) // a server's name is not empty
    return fixed->find(name_separator, 1) == fixed->npos ? meaning::whole_names : meaning::others;
  bool means_another = std::any_of(all.begin(), all.end(), [&](auto& s) { return s.size() > server.size() && begins_with(*fixed, s); });
  return means_another ? meaning::others : meaning::this_server;
}

/// Of a pattern that names the server.
std::string_view tool_part(std::string_view pattern, std::string_view server) { return pattern.substr(full_name(server, "").size()); }

/// Whether some name that begins with `prefix` could match: the pattern is followed until its first star or the end
/// of the prefix.
bool may_match_beginning(std::string_view pattern, std::string_view prefix) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto n = std::min(fixed.size(), prefix.size());
  return fixed.substr(0, n) == prefix.substr(0, n) && (fixed.size() < pattern.size() || fixed.size() > prefix.size());
}

bool may_match_some(std::string_view pattern, std::string_view server, const server_names& all) {
  switch (meaning_of(pattern, server, all)) {
    case meaning::whole_names: return may_match_beginning(pattern, full_name(server, ""));
    case meaning::this_server: return !tool_part(pattern, server).empty();
    case meaning::others: break;
  }
  return false;
}

} // namespace

bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = pattern.npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != pattern.npos) { // the last star takes one character more
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::optional<std::string> server_in(std::string_view pattern, const server_names& all) {
  auto fixed = fixed_part(pattern);
  const std::string* longest = nullptr;
  for (auto& s : all)
    if (fixed && begins_with(*fixed, s) && (!longest || s.size() > longest->size()))
      longest = &s;
  return longest ? std::optional{*longest} : std::nullopt;
}

bool matches_tool(std::string_view pattern, std::string_view server, std::string_view tool, const server_names& all) {
  switch (meaning_of(pattern, server, all)) {
    case meaning::whole_names: return matches(pattern, full_name(server, tool));
    case meaning::this_server: return matches(tool_part(pattern, server), tool);
    case meaning::others: break;
  }
  return false;
}

bool allows(const msg::tool_filter& filter, std::string_view server, std::string_view tool, const server_names& all) {
  auto matched = [&](auto& pattern) { return matches_tool(pattern, server, tool, all); };
  return (filter.servers.empty() || std::find(filter.servers.begin(), filter.servers.end(), server) != filter.servers.end())
         && (filter.everything || std::any_of(filter.patterns.begin(), filter.patterns.end(), matched));
}

bool allows_some(const msg::tool_filter& filter, std::string_view server, const server_names& all) {
  auto matched = [&](auto& pattern) { return may_match_some(pattern, server, all); };
  return (filter.servers.empty() || std::find(filter.servers.begin(), filter.servers.end(), server) != filter.servers.end())
         && (filter.everything || std::any_of(filter.patterns.begin(), filter.patterns.end(), matched));
}

msg::fault refusal(std::string_view server, std::string_view tool) {
  auto name = full_name(server, tool);
  msg::fault f{msg::errc::not_allowed,
               "'" + name + "' is not in this run's allowedTools; '" + name + "' or '" + full_name(server, "*") + "' would allow it"};
  return std::move(f).at(std::string{server}, std::string{tool});
}

} // namespace proxy
