// Which tools a run may use.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"
#include "proxy/name_patterns.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// Names of all configured servers: a pattern means the server that it names, the longest that fits, as a name of a
/// tool does.
class server_names {
public:
  server_names() = default;
  server_names(std::initializer_list<std::string> names) : server_names(std::vector<std::string>{names}) {}
  server_names(std::vector<std::string> names);

  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }
  bool contains(std::string_view name) const { return known_.contains(name); }
  size_t longest() const { return longest_; } ///< bytes

private:
  std::vector<std::string> names_;
  text_set known_;
  size_t longest_ = 0;
};

/// The configured server that the pattern names before its first `*`: no other server's tool matches it. Nothing: it
/// names none.
std::optional<std::string> server_in(std::string_view pattern, const server_names& all);

/// Patterns for whole names (`mcp__<server>__<tool>`), made ready for many questions. `mcp__a__*` does not match the
/// tools of a server `a__b`, nor `mcp__a__b__*` the tool `b__x` of a server `a` where there is a server `a__b`.
class tool_patterns {
public:
  tool_patterns() = default;
  tool_patterns(const std::vector<std::string>& patterns, const server_names& all);

  bool match(std::string_view server, std::string_view tool) const;
  /// For one question, before which nothing is made ready.
  static bool matches_one(std::string_view pattern, std::string_view server, std::string_view tool,
                          const server_names& all);
  /// Whether they could match any tool of that server.
  bool may_match_some(std::string_view server) const;
  bool empty() const { return naming_.empty() && whole_.empty(); }

private:
  friend class patterns_of_server;
  /// A pattern that names a server. Which one is known when a caller asks: it may be one that is not configured any
  /// more.
  struct naming {
    std::string text;        ///< without `mcp__`
    size_t fixed = 0;        ///< of that, bytes before the first star
    size_t server_bytes = 0; ///< of the longest configured server that it names; shorter ones are not meant
  };
  static naming read(std::string_view text, size_t fixed, const server_names& all);
  std::vector<std::string_view> tool_parts(std::string_view server) const;

  std::vector<naming> naming_;     ///< in order of their text
  std::vector<std::string> whole_; ///< those that name no server
  name_patterns whole_ready_;      ///< the same
};

/// What such patterns say of one server, made ready for many tools. Refers to `all`.
class patterns_of_server {
public:
  patterns_of_server(const tool_patterns& all, std::string_view server);
  bool match(std::string_view tool);

private:
  name_patterns own_;
  const name_patterns* whole_;
  std::string full_; ///< name of the last tool
  size_t beginning_; ///< bytes of that before the tool
};

/// A filter, made ready for many questions.
class allowlist {
public:
  allowlist() = default; ///< allows everything
  allowlist(const msg::tool_filter& filter, const server_names& all);

  bool allows(std::string_view server, std::string_view tool) const;
  /// Whether it could allow any tool of that server: decides if the server may be started at all.
  bool allows_some(std::string_view server) const;
  /// Whether it says that server may be asked; the patterns say more.
  bool has(std::string_view server) const { return servers_.empty() || servers_.contains(server); }
  bool has_patterns() const { return !everything_; }
  const tool_patterns& patterns() const { return patterns_; }

private:
  bool everything_ = true;
  tool_patterns patterns_;
  text_set servers_; ///< empty: any
};

/// The same for a single question.
bool allows(const msg::tool_filter& filter, std::string_view server, std::string_view tool, const server_names& all);
bool allows_some(const msg::tool_filter& filter, std::string_view server, const server_names& all);

/// The refusal of a call: names the pattern that would allow it, and nothing else.
msg::fault refusal(std::string_view server, std::string_view tool);

} // namespace proxy
