#include "proxy/editors/wrapper_files.hpp"

#include "proxy/editors/file_stems.hpp"
#include "proxy/types/server_module.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace editors {

namespace {

constexpr size_t shown_name_bytes_max = 300;

/// What programs import as "./mcp-wrappers"; as a whole it is `mcp`.
constexpr const char* wrappers_module = "mcp-wrappers.ts";
constexpr const char* of_wrappers_module = R"(export * from "./wrappers/typescript/index.js";
declare global {
  interface CodeExecutorServers {}
}
export default (globalThis as unknown as { mcp: CodeExecutorServers }).mcp;
)";

// Stubs of what Python programs import from `mcp`; the types are those of `code-executor types`.
constexpr const char* of_mcp = R"(from code_executor import _Runtime, _Server

runtime: _Runtime

def __getattr__(server: str) -> _Server: ...
)";
constexpr const char* of_runtime = R"(from typing import Any

def __getattr__(name: str) -> Any: ...
)";
constexpr const char* of_servers = R"(from code_executor import _Server

def __getattr__(server: str) -> _Server: ...
)";

/// A name within a comment: it ends no line.
std::string shown(const std::string& name) {
  return text::printable(text::to_text(boost::json::value(name.substr(0, shown_name_bytes_max))));
}

std::string typescript_line(std::string_view path, const std::string& of) {
  return marked_line("//", path, " by `code-executor sync-wrappers`, which writes it anew: " + of);
}

/// Python decodes a file by what comments of its first two lines say of that, so no name of a server may stand there.
std::string python_line(std::string_view path, const std::string& of) {
  return marked_line("#", path,
                     " by `code-executor sync-wrappers`, which writes it anew: " + of + " -*- coding: utf-8 -*-");
}

std::string python_path(const placed_server& server, std::string_view end) {
  return std::string{python_folder}.append("/").append(server.python_stem).append(end);
}

/// The name by which Python has the server, if files can be called so: none has a digest in it. Empty: they can not.
std::string module_name(const placed_server& server) {
  return server.python_stem == server.aliases.snake ? server.python_stem : std::string{};
}

/// `mcp_servers` is the table of all servers.
bool is_module(const std::string& name) { return !name.empty() && name != "servers"; }

std::string stub_path(const std::string& name) {
  return std::string{stubs_folder}.append("/mcp_").append(name) + ".pyi";
}
std::string server_stub_path(const std::string& name) {
  return std::string{server_stubs_folder}.append("/").append(name) + ".pyi";
}

/// What the stub of the wrapper has, under another name of the module.
std::string stub_text(const placed_server& server, const std::vector<text::aliases>& tools) {
  std::string out;
  for (auto& name : types::python_names(tools))
    out.append("from wrappers.python.")
      .append(server.python_stem)
      .append(" import ")
      .append(name)
      .append(" as ")
      .append(name)
      .append("\n");
  return out;
}

/// Where programs run, it has the same functions as the module `mcp.servers.<server>`.
std::string python_text(const placed_server& server) {
  return "from code_executor import mcp\n\n_tools = mcp[" + text::to_text(boost::json::value(server.name))
         + "]\n\n\ndef __getattr__(name):\n    return getattr(_tools, name)\n";
}

} // namespace

std::string marked_line(std::string_view comment, std::string_view path, std::string_view rest) {
  auto name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
  return std::string{comment}.append(" ").append(generated_mark).append(name).append(rest).append("\n");
}

std::vector<placed_server> place_servers(const std::vector<std::string>& names) {
  std::vector<std::string_view> views{names.begin(), names.end()};
  auto aliases = text::unique_aliases(views);
  std::vector<std::string> spellings, snakes;
  for (size_t i = 0; i < names.size(); ++i) {
    spellings.push_back(plain_spelling(names[i]));
    snakes.push_back(aliases[i].snake);
  }
  auto typescript = file_stems(views, spellings, '-'), python = file_stems(views, snakes, '_');
  std::vector<placed_server> out;
  for (size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], aliases[i], typescript[i], python[i]});
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return out;
}

std::string typescript_path(const placed_server& server) {
  return std::string{typescript_folder}.append("/").append(server.typescript_stem).append(".ts");
}

std::vector<std::string> paths_of(const placed_server& server) {
  std::vector<std::string> out{typescript_path(server), python_path(server, ".pyi"), python_path(server, ".py")};
  if (auto name = module_name(server); is_module(name))
    out.insert(out.end(), {stub_path(name), server_stub_path(name)});
  return out;
}

std::vector<generated_file> files_of_server(const std::vector<placed_server>& all, const placed_server& server,
                                            const msg::tool_list& tools, const std::vector<text::aliases>& aliases) {
  std::function<bool(const std::string&)> is_meant = [&](const std::string& full_name) {
    auto tail = std::string_view{full_name}.substr(std::string_view{"mcp__"}.size());
    return std::none_of(all.begin(), all.end(), [&](auto& other) {
      return other.name.size() > server.name.size() && tail.starts_with(other.name)
             && tail.substr(other.name.size()).starts_with("__");
    });
  };
  auto of = "the tools of the MCP server " + shown(server.name);
  std::string any_server = "the tools of an MCP server";
  auto typescript = types::typescript_wrapper({server.name, server.aliases, tools, aliases, is_meant});
  auto stub = types::python_module(server.name, tools, aliases);
  auto module = typescript_path(server), of_stub = python_path(server, ".pyi"), code = python_path(server, ".py");
  std::vector<generated_file> out{{module, typescript_line(module, of) + typescript},
                                  {of_stub, python_line(of_stub, any_server) + stub},
                                  {code, python_line(code, any_server) + python_text(server)}};
  if (auto name = module_name(server); is_module(name))
    for (auto& path : {stub_path(name), server_stub_path(name)})
      out.push_back({path, python_line(path, any_server) + stub_text(server, aliases)});
  return out;
}

std::string index_path() { return std::string{typescript_folder}.append("/index.ts"); }

std::vector<generated_file> files_of_all(const std::vector<placed_server>& servers) {
  std::string index;
  for (auto& server : servers)
    index += "export { " + server.aliases.camel + " } from \"./" + server.typescript_stem + ".js\";\n";
  if (index.empty())
    index = "export {};\n";
  std::string of = "the tools of all MCP servers";
  std::string init_path{python_folder};
  init_path.append("/__init__.py");
  auto init = python_line(init_path, of);
  auto stub = [&](const char* path, const char* text) {
    auto whole = std::string{stubs_folder}.append(path);
    return generated_file{whole, python_line(whole, of) + text};
  };
  return {{index_path(), typescript_line(index_path(), of) + index},
          {wrappers_module, typescript_line(wrappers_module, of) + of_wrappers_module},
          {"wrappers/__init__.py", init}, // else a checker finds two names for the modules below
          {std::move(init_path), init},
          stub("/mcp/__init__.pyi", of_mcp),
          stub("/mcp/runtime.pyi", of_runtime),
          stub("/mcp/servers/__init__.pyi", of_servers)};
}

} // namespace editors
