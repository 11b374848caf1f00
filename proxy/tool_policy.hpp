// Which tools this program lets any run use, whatever a run allows itself.
#pragma once

#include "messages/errors.hpp"
#include "messages/policy.hpp"
#include "messages/servers.hpp"
#include "proxy/allowlist.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// The settings' patterns for whole names (`mcp__<server>__<tool>`) and each server's patterns for the names of its
/// tools. Both must permit a tool.
class tool_policy {
public:
  tool_policy() = default;
  tool_policy(msg::name_policy all, const std::vector<msg::server_entry>& servers);

  bool permits(const std::string& server, std::string_view tool) const;
  /// Whether it could permit any tool of that server.
  bool permits_some(const std::string& server) const;
  /// Of all configured servers.
  const proxy::server_names& server_names() const { return names_; }
  /// Whether a person is to be asked before each call of it.
  bool needs_consent(std::string_view server, std::string_view tool) const;
  /// Why it does not: names the key that has to change, and where.
  msg::fault refusal(const std::string& server, const std::string& tool) const;

private:
  friend class usable_tools;
  /// Patterns for the names of one server's tools.
  struct server_rule {
    explicit server_rule(const msg::server_entry& entry);
    bool permits(std::string_view tool) const { return (everything || allowed.match(tool)) && !denied.match(tool); }
    bool everything;
    name_patterns allowed, denied;
    std::string source; ///< file of the entry
  };

  bool is_denied(std::string_view server, std::string_view tool) const { return denied_.match(server, tool); }
  bool settings_permit(std::string_view server, std::string_view tool) const;

  bool everything_ = true; ///< else only what is allowed
  tool_patterns allowed_, denied_, confirmed_;
  name_patterns confirmed_names_; ///< the same of whole names
  proxy::server_names names_;
  std::map<std::string, server_rule> servers_; ///< those that have one
};

/// Which tools of one server a run may use, made ready for a question about many of them. Refers to what it is made of.
class usable_tools {
public:
  usable_tools(const tool_policy& policy, const allowlist& allowed, const std::string& server);
  bool has(std::string_view tool);

private:
  bool is_none_;
  std::optional<patterns_of_server> permitted_, denied_, allowed_; ///< nothing: there is no such rule
  const tool_policy::server_rule* rule_ = nullptr;
};

} // namespace proxy
