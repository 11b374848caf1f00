// Which tools this program lets anybody use, whatever a run allows itself.
#pragma once

#include "messages/errors.hpp"
#include "messages/policy.hpp"
#include "messages/servers.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// The settings' patterns for whole names (`mcp__<server>__<tool>`) and each server's patterns for the names of its tools. Both
/// must permit a tool.
class tool_policy {
public:
  tool_policy() = default;
  tool_policy(msg::name_policy all, const std::vector<msg::server_entry>& servers);

  bool permits(const std::string& server, std::string_view tool) const;
  /// Whether it could permit any tool of that server.
  bool permits_some(const std::string& server) const;
  /// Of all configured servers.
  const std::vector<std::string>& server_names() const { return names_; }
  /// Why it does not: names the key that has to change, and where.
  msg::fault refusal(const std::string& server, const std::string& tool) const;

private:
  struct server_rule {
    msg::name_policy names;
    std::string source; ///< file of the entry
  };

  bool is_denied(std::string_view server, std::string_view tool) const;
  bool settings_permit(std::string_view server, std::string_view tool) const;

  msg::name_policy all_;
  std::vector<std::string> names_;
  std::map<std::string, server_rule> servers_; ///< those that have one
};

} // namespace proxy
