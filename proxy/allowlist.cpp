#include "proxy/allowlist.hpp"

#include "proxy/names.hpp"

#include <algorithm>

namespace proxy {

namespace {

/// Whether some name that begins with `prefix` could match: the pattern is followed until its first star or the end
/// of the prefix.
bool may_match_beginning(std::string_view pattern, std::string_view prefix) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto n = std::min(fixed.size(), prefix.size());
  return fixed.substr(0, n) == prefix.substr(0, n) && (fixed.size() < pattern.size() || fixed.size() > prefix.size());
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

bool allows(const msg::tool_filter& filter, std::string_view name) {
  auto of_server = [&](auto& server) { return name.starts_with(full_name(server, "")); };
  auto matched = [&](auto& pattern) { return matches(pattern, name); };
  return (filter.servers.empty() || std::any_of(filter.servers.begin(), filter.servers.end(), of_server))
         && (filter.everything || std::any_of(filter.patterns.begin(), filter.patterns.end(), matched));
}

bool allows_some(const msg::tool_filter& filter, std::string_view server) {
  auto prefix = full_name(server, "");
  auto matched = [&](auto& pattern) { return may_match_beginning(pattern, prefix); };
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
