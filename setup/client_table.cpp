#include "setup/client_table.hpp"

#include "process/find_executable.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <filesystem>

namespace setup {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using enum entry_form;

/// The longest run that there is takes 300 s.
constexpr int wait_seconds = 330;

constexpr client known[] = {
  {"claude-code", "Claude Code", "Claude Code (user)", "claude", typed, "mcpServers", ".claude.json"},
  {"claude-desktop", "Claude Desktop", "Claude Desktop", "claude-desktop"},
  {"codex", "Codex", "Codex (user)", "codex", codex, "mcp_servers"},
  {"gemini", "Gemini CLI", "Gemini CLI (user)", "gemini"},
  {"qwen", "Qwen Code", "Qwen Code (user)", "qwen", qwen},
  {"opencode", "opencode", "opencode (user)", "opencode", opencode, "mcp"},
  {"copilot", "Copilot CLI", "Copilot CLI (user)", "copilot", copilot},
  {"continue", "Continue", "Continue (user)", "cn", named_item},
  {"cline", "Cline", "Cline (CLI)", "cline", cline},
  {"cline-vscode", "Cline in VS Code", "Cline (VS Code)", "", cline},
  {"vscode", "VS Code", "VS Code (user)", "code", typed, "servers", "Code/User/mcp.json"},
  {"vscode-insiders", "VS Code Insiders", "VS Code Insiders (user)", "code-insiders", typed, "servers",
   "Code - Insiders/User/mcp.json"},
  {"vscodium", "VSCodium", "VSCodium (user)", "codium", typed, "servers"},
  {"cursor", "Cursor", "Cursor (user)", "cursor cursor-agent", typed},
  {"windsurf", "Windsurf", "Windsurf (user)", "windsurf"},
  {"zed", "Zed", "Zed (user)", "zed zeditor zed-editor", zed, "context_servers"},
  {"goose", "Goose", "Goose (user)", "goose", goose, "extensions"},
  {"roo", "Roo Code", "Roo Code (user)", ""},
  {"lm-studio", "LM Studio", "LM Studio", "lm-studio lms"},
  {"junie", "Junie", "Junie (user)", "junie"},
  {"amp", "Amp", "Amp (user)", "amp", plain, "amp.mcpServers"},
  {"kiro", "Kiro", "Kiro (user)", "kiro"},
  {"crush", "Crush", "Crush (user)", "crush", typed, "mcp"},
  {"factory", "Factory", "Factory (user)", "droid", typed},
  {"kimi", "Kimi", "Kimi (user)", "kimi"},
  {"vibe", "Mistral Vibe", "Mistral Vibe (user)", "vibe", vibe, "mcp_servers"},
  {"amazon-q", "Amazon Q", "Amazon Q (user)", ""},
  {"antigravity", "Antigravity", "Antigravity (user)", "antigravity"},
};

bool exists(const std::string& path) {
  std::error_code ec;
  return fs::exists(fs::symlink_status(path, ec));
}

bool is_of_this_machine(config::file_root root) {
#ifdef __APPLE__
  return root != config::file_root::config;
#else
  return root != config::file_root::mac_support;
#endif
}

/// It belongs to more than one program.
bool is_shared(const fs::path& folder, const config::environment& env) {
  std::error_code ec;
  auto config_folder = fs::path{config::path_of(env, config::file_root::config, "x", nullptr)}.parent_path();
  return fs::equivalent(folder, env.home, ec) || fs::equivalent(folder, config_folder, ec);
}

template <class Each>
bool any_word(std::string_view words, const Each& each) {
  while (!words.empty()) {
    auto word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (each(word))
      return true;
  }
  return false;
}

} // namespace

std::span<const client> clients() { return known; }

const client* find_client(std::string_view name) {
  auto found = std::find_if(std::begin(known), std::end(known), [&](auto& c) { return name == c.name; });
  return found == std::end(known) ? nullptr : &*found;
}

client_place place_of(const client& c, const config::environment& env) {
  client_place first;
  for (auto& file : config::client_files()) {
    if (std::string_view{file.client} != c.files || (c.only_path && std::string_view{file.path} != c.only_path))
      continue;
    auto path = config::path_of(env, file.root, file.path, file.moved_by);
    if (path.empty())
      continue;
    if (exists(path))
      return {&file, path};
    if (!first.file && is_of_this_machine(file.root))
      first = {&file, path};
  }
  return first;
}

bool is_installed(const client& c, const client_place& place, const config::environment& env) {
  std::error_code ec;
  auto folder = fs::path{place.path}.parent_path();
  if (place.path.empty())
    return false;
  return exists(place.path) || (fs::is_directory(folder, ec) && !is_shared(folder, env))
         || any_word(c.programs,
                     [&](auto program) { return !process::find_executable(program, env.path, "/").empty(); });
}

std::vector<std::string> paths_of(const client& c, const config::environment& env) {
  std::vector<std::string> out;
  for (auto& file : config::client_files()) {
    bool is_its =
      std::string_view{file.client} == c.files && (!c.only_path || std::string_view{file.path} == c.only_path);
    if (auto path = is_its ? config::path_of(env, file.root, file.path, file.moved_by) : ""; !path.empty())
      out.push_back(std::move(path));
  }
  return out;
}

bool is_lasting(std::string_view path) {
  return path.find("/node_modules/.bin/") == path.npos && path.find("/_npx/") == path.npos;
}

json::object entry_for(const client& c, const std::string& command) {
  json::array none;
  switch (c.form) {
    case plain: return {{"command", command}, {"args", none}};
    case typed: return {{"type", "stdio"}, {"command", command}, {"args", none}};
    case qwen: return {{"command", command}, {"args", none}, {"alwaysLoadTools", true}};
    case opencode:
      return {{"type", "local"}, {"command", json::array{json::string{command}}}, {"timeout", wait_seconds * 1'000}};
    case copilot: return {{"type", "local"}, {"command", command}, {"args", none}, {"tools", json::array{"*"}}};
    case cline: return {{"command", command}, {"args", none}, {"timeout", wait_seconds}};
    case zed: return {{"source", "custom"}, {"command", command}, {"args", none}};
    case named_item: return {{"name", own_name}, {"command", command}, {"args", none}};
    case goose:
      return {{"enabled", true}, {"type", "stdio"}, {"name", own_name},
              {"cmd", command},  {"args", none},    {"timeout", wait_seconds}};
    case codex: return {{"command", command}, {"args", none}, {"tool_timeout_sec", wait_seconds}};
    case vibe: return {{"name", own_name}, {"transport", "stdio"}, {"command", command}, {"args", none}};
  }
  return {};
}

edits::server_place list_for(const client& c) {
  bool is_list = c.form == named_item || c.form == vibe;
  return {keys_of(c.container), is_list ? edits::entry_list::items : edits::entry_list::by_name};
}

std::string new_text_for(const client& c) {
  // Continue reads no file without them.
  return c.form == named_item ? "name: Local\nversion: 1.0.0\nschema: v1\n" : std::string{};
}

edits::key_path keys_of(std::string_view container) {
  edits::key_path out;
  while (!container.empty()) {
    auto key = container.substr(0, container.find('/'));
    out.emplace_back(key);
    container.remove_prefix(std::min(key.size() + 1, container.size()));
  }
  return out;
}

} // namespace setup
