// The tools of whole servers as modules of declarations, for what guests import.
#pragma once

#include "messages/tool_call.hpp"
#include "text/aliases.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace types {

/// A server, and all its tools in the order in which it lists them: aliases are numbered by it.
using server_tools = std::pair<std::string, msg::tool_list>;

/// What `import { filesystem } from './mcp-wrappers'` gives: `export declare const filesystem: ...` for each server,
/// with its tools under their aliases and their own names. Each server at most about bounds::module_bytes_max long.
std::string typescript_module(const std::vector<server_tools>& servers);

/// Those servers whose name, in any spelling, occurs in the code of a program: it can call no other by name.
std::vector<server_tools> mentioned_in(std::string_view code, const msg::tool_list& tools);

/// What a program is checked against: `McpServers`, the type of `mcp`, and `McpTools`, which has the tools by full
/// name. Whatever is unknown there, or was only observed, is `any`. As long as the same of typescript_module().
std::string typescript_for_checking(const std::vector<server_tools>& servers);

/// Their aliases, in order.
std::vector<text::aliases> aliases_of(const msg::tool_list& tools);

/// `mcp/servers/<server>.pyi`: each tool under its alias, but for what python_names() leaves out. At most about
/// bounds::module_bytes_max long.
std::string python_module(const std::string& server, const msg::tool_list& tools);
/// With aliases that are those among other tools as well.
std::string python_module(const std::string& server, const msg::tool_list& tools,
                          const std::vector<text::aliases>& aliases);
/// The names that such a module declares: those aliases that may be functions there.
std::vector<std::string> python_names(const std::vector<text::aliases>& aliases);

/// One server in a file of its own, which an editor reads.
struct wrapped_server {
  const std::string& name;
  const text::aliases& aliases; ///< among all servers
  const msg::tool_list& tools;
  const std::vector<text::aliases>& tool_aliases;
  /// Whether `mcp__<server>__<tool>` means this server and not one with a longer name.
  const std::function<bool(const std::string& full_name)>& is_meant_by;
};
/// The server as a value under its alias, and its tools in the global interfaces that the guest API's declarations for
/// editors have (`CodeExecutorServers`, `CodeExecutorTools`). At most about bounds::module_bytes_max long.
std::string typescript_wrapper(const wrapped_server& server);

} // namespace types
