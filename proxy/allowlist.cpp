#include "proxy/allowlist.hpp"

#include "proxy/names.hpp"

#include <algorithm>

namespace proxy {

namespace {

constexpr std::string_view prefix = "mcp__";

/// What stands before the first star, without `mcp__`. Nothing: it does not begin so.
std::optional<std::string_view> fixed_part(std::string_view pattern) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  return fixed.starts_with(prefix) ? std::optional{fixed.substr(prefix.size())} : std::nullopt;
}

/// Calls `f` with the configured servers that the text begins with, each followed by a separator within the first
/// `fixed` bytes, shorter ones first.
template <class F>
void for_each_server_in(std::string_view text, size_t fixed, const server_names& all, F f) {
  for (auto at = text.find(name_separator, 1); at <= all.longest() && at + name_separator.size() <= fixed;
       at = text.find(name_separator, at + 1))
    if (auto name = text.substr(0, at); all.contains(name))
      f(name);
}

/// Of the longest of them; 0: there is none.
size_t server_bytes_in(std::string_view text, size_t fixed, const server_names& all) {
  size_t bytes = 0;
  for_each_server_in(text, fixed, all, [&](auto name) { bytes = name.size(); });
  return bytes;
}

/// Whether some name that begins with `beginning` could match: the pattern is followed until its first star or the end
/// of the beginning.
bool may_match_beginning(std::string_view pattern, std::string_view beginning) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto n = std::min(fixed.size(), beginning.size());
  return fixed.substr(0, n) == beginning.substr(0, n)
         && (fixed.size() < pattern.size() || fixed.size() > beginning.size());
}

} // namespace

server_names::server_names(std::vector<std::string> names)
  : names_{std::move(names)},
    known_{names_.begin(), names_.end()} {
  for (auto& n : names_)
    longest_ = std::max(longest_, n.size());
}

std::optional<std::string> server_in(std::string_view pattern, const server_names& all) {
  auto fixed = fixed_part(pattern);
  std::optional<std::string> longest;
  if (fixed)
    for_each_server_in(*fixed, fixed->size(), all, [&](auto name) { longest = name; });
  return longest;
}

// ---- patterns ----------------------------------------------------------------------------------

tool_patterns::tool_patterns(const std::vector<std::string>& patterns, const server_names& all) {
  for (auto& p : patterns)
    // A server's name is not empty.
    if (auto fixed = fixed_part(p); fixed && fixed->find(name_separator, 1) != fixed->npos)
      naming_.push_back(read(std::string_view{p}.substr(prefix.size()), fixed->size(), all));
    else
      whole_.push_back(p);
  std::sort(naming_.begin(), naming_.end(), [](auto& a, auto& b) { return a.text < b.text; });
  whole_ready_ = name_patterns{{whole_.begin(), whole_.end()}};
}

tool_patterns::naming tool_patterns::read(std::string_view text, size_t fixed, const server_names& all) {
  return {std::string{text}, fixed, server_bytes_in(text, fixed, all)};
}

bool tool_patterns::matches_one(std::string_view pattern, std::string_view server, std::string_view tool,
                                const server_names& all) {
  auto fixed = fixed_part(pattern);
  if (!fixed || fixed->find(name_separator, 1) == fixed->npos)
    return matches(pattern, full_name(server, tool));
  auto text = pattern.substr(prefix.size());
  auto named_bytes = server.size() + name_separator.size();
  if (named_bytes > fixed->size() || !text.starts_with(server)
      || !text.substr(server.size()).starts_with(name_separator)
      || server.size() < server_bytes_in(text, fixed->size(), all))
    return false;
  return matches(text.substr(named_bytes), tool);
}

/// What those that name this server say of its tools.
std::vector<std::string_view> tool_patterns::tool_parts(std::string_view server) const {
  auto named = std::string{server}.append(name_separator);
  std::vector<std::string_view> out;
  auto at = std::lower_bound(naming_.begin(), naming_.end(), named, [](auto& n, auto& text) { return n.text < text; });
  for (; at != naming_.end() && at->text.starts_with(named); ++at)
    if (named.size() <= at->fixed && server.size() >= at->server_bytes)
      out.push_back(std::string_view{at->text}.substr(named.size()));
  return out;
}

bool tool_patterns::match(std::string_view server, std::string_view tool) const {
  auto parts = tool_parts(server);
  return std::any_of(parts.begin(), parts.end(), [&](auto p) { return matches(p, tool); })
         || (!whole_.empty() && whole_ready_.match(full_name(server, tool)));
}

bool tool_patterns::may_match_some(std::string_view server) const {
  auto parts = tool_parts(server);
  auto beginning = full_name(server, "");
  return std::any_of(parts.begin(), parts.end(), [](auto p) { return !p.empty(); })
         || std::any_of(whole_.begin(), whole_.end(), [&](auto& p) { return may_match_beginning(p, beginning); });
}

patterns_of_server::patterns_of_server(const tool_patterns& all, std::string_view server)
  : own_{all.tool_parts(server)},
    whole_{&all.whole_ready_},
    full_{full_name(server, "")},
    beginning_{full_.size()} {}

bool patterns_of_server::match(std::string_view tool) {
  if (own_.match(tool))
    return true;
  if (whole_->empty())
    return false;
  full_.resize(beginning_);
  return whole_->match(full_.append(tool));
}

// ---- filters -----------------------------------------------------------------------------------

allowlist::allowlist(const msg::tool_filter& filter, const server_names& all)
  : everything_{filter.everything},
    servers_{filter.servers.begin(), filter.servers.end()} {
  if (!everything_)
    patterns_ = tool_patterns{filter.patterns, all};
}

bool allowlist::allows(std::string_view server, std::string_view tool) const {
  return has(server) && (everything_ || patterns_.match(server, tool));
}

bool allowlist::allows_some(std::string_view server) const {
  return has(server) && (everything_ || patterns_.may_match_some(server));
}

bool allows(const msg::tool_filter& filter, std::string_view server, std::string_view tool, const server_names& all) {
  bool is_asked =
    filter.servers.empty() || std::find(filter.servers.begin(), filter.servers.end(), server) != filter.servers.end();
  return is_asked && (filter.everything || std::any_of(filter.patterns.begin(), filter.patterns.end(), [&](auto& p) {
                        return tool_patterns::matches_one(p, server, tool, all);
                      }));
}

bool allows_some(const msg::tool_filter& filter, std::string_view server, const server_names& all) {
  return allowlist{filter, all}.allows_some(server);
}

msg::fault refusal(std::string_view server, std::string_view tool) {
  auto name = full_name(server, tool);
  msg::fault f{msg::errc::not_allowed, "'" + name + "' is not in this run's allowedTools; '" + name + "' or '"
                                         + full_name(server, "*") + "' would allow it"};
  return std::move(f).at(std::string{server}, std::string{tool});
}

} // namespace proxy
