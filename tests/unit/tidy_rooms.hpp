// The map of the house, as tidy_test holds it: which folder may include which.
#pragma once

#include <map>
#include <set>
#include <string>

namespace tidy {

/// The rooms: which others the sources of each may include, beside the libraries. A room in a room is one of its own.
inline const std::map<std::string, std::set<std::string>> may_include{
  {"messages", {}},
  {"process", {"messages"}},
  {"mcp", {"process", "messages"}},
  {"mcp/relay", {"mcp", "process", "messages"}},
  {"login", {"mcp", "process", "messages"}},
  {"recording", {"audit", "mcp", "process", "messages"}},
  {"faults", {"mcp", "proxy", "process", "messages"}},
  {"sampling", {"process", "messages"}},
  {"config", {"sampling", "process", "messages"}},
  {"config/edits", {"config", "messages"}},
  {"setup", {"config/edits", "config", "process", "messages"}},
  {"sandbox/cgroup", {"process", "messages"}},
  {"sandbox/isolation", {"sandbox/cgroup", "process", "messages"}},
  {"sandbox/runtimes", {"sandbox/isolation", "process", "messages"}},
  {"sandbox/launch", {"sandbox/isolation", "sandbox/cgroup", "process", "messages"}},
  {"sandbox/container", {"sandbox/launch", "sandbox/isolation", "process", "messages"}},
  {"sandbox/egress", {"process", "messages"}},
  {"catalog/pinning", {"process", "messages"}},
  {"catalog", {"catalog/pinning", "process", "messages"}},
  {"proxy/types", {"messages"}},
  {"proxy/editors", {"proxy/types", "messages"}},
  {"proxy/memory", {"process", "messages"}},
  {"proxy/artifacts", {"messages"}},
  {"proxy", {"proxy/types", "catalog", "process", "messages"}},
  {"proxy/surface", {"proxy", "proxy/artifacts", "mcp", "messages"}},
  {"audit", {"process", "messages"}},
  {"actors/client", {"proxy/surface", "sampling", "mcp", "messages"}},
  {"actors/resilience", {"messages"}},
  {"actors/sampling", {"proxy", "sampling", "process", "messages"}},
  {"actors/child", {"actors/resilience", "catalog/pinning", "proxy", "mcp", "process", "messages"}},
  {"actors/run", {"actors/resilience", "audit", "catalog/pinning", "config", "proxy", "messages"}},
  {"actors/servers", {"actors/resilience", "catalog", "catalog/pinning", "mcp", "proxy", "process", "messages"}},
};
/// They may include everything, but for the latter in the former.
inline const std::set<std::string> upper_rooms{"actors", "cli"};
/// Libraries know nothing of the program, and of others what is told here. `testing` is for the tests of all.
inline const std::map<std::string, std::set<std::string>> libraries{
  {"subprojects/code-policy", {"subprojects/text"}},
  {"subprojects/content-filter", {}},
  {"subprojects/http", {"subprojects/text"}},
  {"subprojects/json-schema", {"subprojects/text"}},
  {"subprojects/sqlite-file", {}},
  {"subprojects/json-web-token", {"subprojects/text"}},
  {"subprojects/oauth-client", {"subprojects/text"}},
  {"subprojects/testing", {}},
  {"subprojects/text", {}},
  {"subprojects/tool-search", {"subprojects/text"}},
  {"subprojects/toon", {}},
};

} // namespace tidy
