#include "proxy/editors/guest_api.hpp"

namespace editors {

namespace {

constexpr std::string_view of_checking = "import type { McpServers, McpTools } from \"./servers.d.ts\";\n";
constexpr std::string_view of_editors = R"(export {};

declare global {
  /** The servers by name; each file of `code-executor sync-wrappers` adds one. Others can be called as well. */
  interface CodeExecutorServers {
    [server: string]: any;
  }
  /** The tools by full name, `mcp__server__tool`. */
  interface CodeExecutorTools {}
}
type McpServers = CodeExecutorServers;
type McpTools = CodeExecutorTools;
)";

constexpr std::string_view of_types = " by `code-executor types`, which writes it anew.";
constexpr const char *typescript_name = "code-executor.d.ts", *python_name = "code_executor.pyi";

} // namespace

generated_file typescript_api(std::string_view globals) {
  auto at = globals.find(of_checking);
  std::string text;
  if (at != globals.npos)
    text = marked_line("//", typescript_name, of_types)
             .append(globals.substr(0, at))
             .append(of_editors)
             .append(globals.substr(at + of_checking.size()));
  return {typescript_name, std::move(text)};
}

generated_file python_api(std::string_view stub) {
  return {python_name, marked_line("#", python_name, of_types).append(stub)};
}

} // namespace editors
