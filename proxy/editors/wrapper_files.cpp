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
  return {typescript_path(server), python_path(server, ".pyi"), python_path(server, ".py")};
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
  auto module = typescript_path(server), stub_path = python_path(server, ".pyi"), code = python_path(server, ".py");
  return {{module, typescript_line(module, of) + typescript},
          {stub_path, python_line(stub_path, any_server) + stub},
          {code, python_line(code, any_server) + python_text(server)}};
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
  return {{index_path(), typescript_line(index_path(), of) + index},
          {"wrappers/__init__.py", init}, // else a checker finds two names for the modules below
          {std::move(init_path), init}};
}

} // namespace editors
