#include "config/clients.hpp"

#include <filesystem>
#include <iterator>

namespace config {

namespace fs = std::filesystem;

namespace {

using enum file_root;
using enum msg::variable_syntax;
using enum timeout_unit;

constexpr const char* any = nullptr;

constexpr client_file files[] = {
  // ---- of the project
  {"Claude Code (local)", home, ".claude.json", "projects/{project}/mcpServers", shell, unclear, "CLAUDE_CONFIG_DIR"},
  {"Claude Code (project)", project, ".mcp.json", any, shell},
  {"Cursor (project)", project, ".cursor/mcp.json", any, editor},
  {"VS Code (project)", project, ".vscode/mcp.json", any, editor},
  {"Copilot CLI (project)", project, ".github/mcp.json", any, shell, milliseconds},
  {"Codex (project)", project, ".codex/config.toml", "mcp_servers", none},
  {"Gemini CLI (project)", project, ".gemini/settings.json", "mcpServers", gemini, milliseconds},
  {"Qwen Code (project)", project, ".qwen/settings.json", "mcpServers", gemini, milliseconds},
  {"opencode (project)", project, "opencode.json", "mcp", opencode},
  {"opencode (project)", project, "opencode.jsonc", "mcp", opencode},
  {"Zed (project)", project, ".zed/settings.json", "context_servers", none, seconds},
  {"Continue (project)", project, ".continue/mcpServers/*.yaml", any, mustache},
  {"Continue (project)", project, ".continue/mcpServers/*.yml", any, mustache},
  {"Continue (project)", project, ".continue/mcpServers/*.json", any, mustache},
  {"Junie (project)", project, ".junie/mcp/mcp.json", any, none},
  {"JetBrains Air (project)", project, ".air/mcp.json", any, none},
  {"Kiro (project)", project, ".kiro/settings/mcp.json", any, shell},
  {"Amp (project)", project, ".amp/settings.json", "amp.mcpServers", shell},
  {"Crush (project)", project, ".crush.json", "mcp", gemini},
  {"Crush (project)", project, "crush.json", "mcp", gemini},
  {"Crush (project)", project, ".crush/crush.json", "mcp", gemini},
  {"Factory (project)", project, ".factory/mcp.json", any, shell},
  {"Mistral Vibe (project)", project, ".vibe/config.toml", "mcp_servers", none},
  {"Amazon Q (project)", project, ".amazonq/mcp.json", any, none},
  {"Roo Code (project)", project, ".roo/mcp.json", any, editor, seconds},
  {"mcporter (project)", project, "config/mcporter.json", "mcpServers", shell},
  {".agents (project)", project, ".agents/mcp.json", any, opencode},
  {"mcp-servers (project)", project, "mcp-servers/*.json", any, shell},
  // ---- of the user
  {"code-executor", config, "code-executor/servers.json", "mcpServers", shell},
  {"Claude Code (user)", home, ".claude.json", "mcpServers", shell, unclear, "CLAUDE_CONFIG_DIR"},
  {"Claude Code (user)", home, ".claude/.mcp.json", any, shell},
  {"Claude Code (user)", config, "claude-code/mcp.json", any, shell},
  {"Claude Code (user)", mac_support, "Claude Code/claude_code_config.json", any, shell},
  {"Claude Desktop", config, "Claude/claude_desktop_config.json", "mcpServers", none},
  {"Claude Desktop", mac_support, "Claude/claude_desktop_config.json", "mcpServers", none},
  {"Claude Desktop", mac_support, "Claude/mcp.json", any, none},
  {"Cursor (user)", home, ".cursor/mcp.json", any, editor},
  {"VS Code (user)", config, "Code/User/mcp.json", any, editor},
  {"VS Code (user)", config, "Code/User/settings.json", "mcp/servers", editor},
  {"VS Code (user)", mac_support, "Code/User/mcp.json", any, editor},
  {"VS Code (user)", mac_support, "Code/User/settings.json", "mcp/servers", editor},
  {"VS Code Insiders (user)", config, "Code - Insiders/User/mcp.json", any, editor},
  {"VS Code Insiders (user)", mac_support, "Code - Insiders/User/mcp.json", any, editor},
  {"VS Code (server)", home, ".vscode-server/data/User/mcp.json", any, editor},
  {"VSCodium (user)", config, "VSCodium/User/mcp.json", any, editor},
  {"Windsurf (user)", home, ".codeium/windsurf/mcp_config.json", any, editor},
  {"Windsurf (JetBrains)", home, ".codeium/mcp_config.json", any, editor},
  {"Windsurf (user)", home, ".windsurf/mcp.json", any, editor},
  {"Codex (user)", home, ".codex/config.toml", "mcp_servers", none, unclear, "CODEX_HOME"},
  {"Gemini CLI (user)", home, ".gemini/settings.json", "mcpServers", gemini, milliseconds},
  {"Qwen Code (user)", home, ".qwen/settings.json", "mcpServers", gemini, milliseconds},
  {"Antigravity (user)", home, ".gemini/antigravity/mcp_config.json", any, none},
  {"opencode (user)", config, "opencode/opencode.json", "mcp", opencode, unclear, "OPENCODE_CONFIG_DIR"},
  {"opencode (user)", config, "opencode/opencode.jsonc", "mcp", opencode, unclear, "OPENCODE_CONFIG_DIR"},
  {"opencode (user)", config, "opencode/config.json", "mcp", opencode, unclear, "OPENCODE_CONFIG"},
  {"opencode (user)", home, ".opencode.json", "mcp", opencode},
  {"Zed (user)", config, "zed/settings.json", "context_servers", none, seconds},
  {"Cline (VS Code)", config, "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", any,
   none, seconds},
  {"Cline (VS Code)", mac_support, "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
   any, none, seconds},
  {"Cline (CLI)", home, ".cline/data/settings/cline_mcp_settings.json", any, none, seconds, "CLINE_MCP_SETTINGS_PATH"},
  {"Roo Code (user)", config, "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", any,
   editor, seconds},
  {"Continue (user)", home, ".continue/config.yaml", "mcpServers", mustache},
  {"Goose (user)", config, "goose/config.yaml", "extensions", none, seconds},
  {"LM Studio", home, ".lmstudio/mcp.json", any, none},
  {"LM Studio", home, ".cache/lm-studio/mcp.json", any, none},
  {"Junie (user)", home, ".junie/mcp/mcp.json", any, none},
  {"Copilot CLI (user)", home, ".copilot/mcp-config.json", any, shell, milliseconds, "COPILOT_HOME"},
  {"Amp (user)", config, "amp/settings.json", "amp.mcpServers", shell},
  {"Kiro (user)", home, ".kiro/settings/mcp.json", any, shell},
  {"Crush (user)", config, "crush/crush.json", "mcp", gemini},
  {"Factory (user)", home, ".factory/mcp.json", any, shell},
  {"Kimi (user)", home, ".kimi/mcp.json", any, none},
  {"Mistral Vibe (user)", home, ".vibe/config.toml", "mcp_servers", none},
  {"Amazon Q (user)", home, ".aws/amazonq/mcp.json", any, none},
  {"mcporter (user)", config, "mcporter/mcporter.json", "mcpServers", shell, unclear, "MCPORTER_CONFIG"},
  {"mcporter (user)", config, "mcporter/mcporter.jsonc", "mcpServers", shell},
  {"mcporter (user)", home, ".mcporter/mcporter.json", "mcpServers", shell},
  {"mcporter (user)", home, ".mcporter/mcporter.jsonc", "mcpServers", shell},
  // ---- of no client in particular
  {".agents (user)", home, ".agents/mcp.json", any, opencode},
  {"~/.config/mcp/servers", config, "mcp/servers/*.json", any, shell},
  {"~/MCPs", home, "MCPs/*.json", any, shell},
};

constexpr off_list offs[] = {
  {"Claude Code", home, ".claude.json", "projects/{project}/disabledMcpServers", "CLAUDE_CONFIG_DIR"},
  {"Claude Code (project)", home, ".claude.json", "projects/{project}/disabledMcpjsonServers", "CLAUDE_CONFIG_DIR"},
  {"Claude Code (project)", project, ".claude/settings.local.json", "disabledMcpjsonServers"},
  {"Claude Code (project)", project, ".claude/settings.json", "disabledMcpjsonServers"},
  {"Claude Code (project)", home, ".claude/settings.json", "disabledMcpjsonServers", "CLAUDE_CONFIG_DIR"},
  {"Gemini CLI", project, ".gemini/settings.json", "mcp/excluded"},
  {"Gemini CLI", home, ".gemini/settings.json", "mcp/excluded"},
  {"Copilot CLI", home, ".copilot/settings.json", "disabledMcpServers", "COPILOT_HOME"},
};

constexpr const char* claude_folder = "CLAUDE_CONFIG_DIR";

constexpr verdict_list verdicts[] = {
  {"Claude Code (project)", home, ".claude.json", "projects/{project}/enableAllProjectMcpServers", true, claude_folder},
  {"Claude Code (project)", home, ".claude.json", "projects/{project}/enabledMcpjsonServers", true, claude_folder},
  {"Claude Code (project)", home, ".claude/settings.json", "enableAllProjectMcpServers", true, claude_folder},
  {"Claude Code (project)", home, ".claude/settings.json", "enabledMcpjsonServers", true, claude_folder},
  {"Claude Code (project)", home, ".claude.json", "projects/{project}/disabledMcpjsonServers", false, claude_folder},
  {"Claude Code (project)", home, ".claude/settings.json", "disabledMcpjsonServers", false, claude_folder},
  {"Claude Code (project)", project, ".claude/settings.local.json", "disabledMcpjsonServers", false},
  {"Claude Code (project)", project, ".claude/settings.json", "disabledMcpjsonServers", false},
};

constexpr const char* variables[] = {
  "MCP_SERVERS_CONFIG", "XDG_CONFIG_HOME",         "CLAUDE_CONFIG_DIR", "CODEX_HOME",     "OPENCODE_CONFIG_DIR",
  "OPENCODE_CONFIG",    "CLINE_MCP_SETTINGS_PATH", "COPILOT_HOME",      "MCPORTER_CONFIG"};

constexpr const char* shared[] = {".github", "config"};

constexpr const char* containers[] = {"mcpServers", "mcp_servers", "servers", "context_servers",
                                      "extensions", "mcp/servers", "mcp",     "amp.mcpServers"};

fs::path folder(const environment& env, file_root root) {
  if (root == project)
    return env.cwd;
  if (env.home.empty())
    return {};
  if (root == mac_support)
    return fs::path{env.home} / "Library/Application Support";
  auto moved = env.places.find("XDG_CONFIG_HOME");
  if (root == config && moved != env.places.end() && moved->second.starts_with('/')) // a relative one does not count
    return moved->second;
  return root == config ? fs::path{env.home} / ".config" : fs::path{env.home};
}

/// Whether what a variable says is such a file itself, not the folder that has it. Clients take JSON with comments
/// under both endings.
bool is_file_as(const std::string& named, const fs::path& usual) {
  auto ending = usual.extension().string();
  return named.ends_with(ending) || (ending == ".json" && named.ends_with(".jsonc"));
}

} // namespace

std::span<const client_file> client_files() { return files; }

bool is_written_by(const client_file& file, std::string_view client) {
  return std::string_view{file.writer ? file.writer : file.client}.starts_with(client);
}

std::span<const char* const> shared_folders() { return shared; }

std::span<const off_list> off_lists() { return offs; }

std::span<const verdict_list> verdict_lists() { return verdicts; }

bool is_at_home(const environment& env) {
  std::error_code ec;
  return !env.home.empty() && fs::equivalent(env.cwd, env.home, ec);
}

std::span<const char* const> place_variables() { return variables; }

std::span<const char* const> usual_containers() { return containers; }

std::string path_of(const environment& env, file_root root, const std::string& path, const char* moved_by) {
  auto begin = folder(env, root);
  auto moved = env.places.find(moved_by ? moved_by : "");
  if (moved != env.places.end())
    return is_file_as(moved->second, path) ? absolute(env, moved->second)
                                           : absolute(env, moved->second + "/" + fs::path{path}.filename().string());
  return begin.empty() ? std::string{} : (begin / path).string();
}

std::string absolute(const environment& env, const std::string& path) {
  if (path.starts_with("~/") && !env.home.empty())
    return (fs::path{env.home} / path.substr(2)).lexically_normal().string();
  return (fs::path{env.cwd} / path).lexically_normal().string();
}

} // namespace config
