#include "proxy/types/server_module.hpp"

#include "proxy/types/bounds.hpp"
#include "proxy/types/python.hpp"
#include "proxy/types/tool_types.hpp"
#include "proxy/types/type_names.hpp"
#include "proxy/types/typescript.hpp"
#include "text/aliases.hpp"
#include "text/json_text.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <set>

namespace types {

namespace {

std::vector<text::aliases> aliases_of(const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (auto& tool : tools)
    names.emplace_back(tool.name);
  return text::unique_aliases(names);
}

/// The tools of one server as an interface.
class typescript_server {
public:
  typescript_server(type_names& taken, const std::string& server, typescript::unknowns how)
    : taken_(taken),
      unknowns_(how),
      prefix_(type_name(server)),
      name_(taken.take(prefix_ + "Tools")) {}

  void add(const msg::tool_info& tool, const text::aliases& aliases) {
    bool is_full = declarations_.size() + members_.size() > bounds::module_bytes_max;
    auto text = is_full ? std::string{} : typed(tool, aliases.camel);
    members_ += text.empty() ? "  " + aliases.camel + "(params?: Record<string, unknown>): Promise<unknown>;\n" : text;
    listed_.insert(aliases.camel);
    also(tool.name, aliases);
    also(aliases.snake, aliases);
  }

  std::string text() const { return declarations_ + "export interface " + name_ + " {\n" + members_ + "}\n"; }
  const std::string& name() const { return name_; }

private:
  /// Empty: too long.
  std::string typed(const msg::tool_info& tool, const std::string& alias) {
    auto prefix = prefix_ + type_name(tool.name);
    std::vector<named_type> names;
    std::string declarations;
    auto types = read_tool(tool, prefix, names);
    auto text = typescript{taken_, unknowns_}.function(types, names, prefix + "Output", 2, declarations);
    if (text.size() + declarations.size() > bounds::signature_bytes_max)
      return {};
    declarations_ += declarations;
    return typescript::comment(types.doc, 2) + "  " + alias + text + ";\n";
  }

  void also(const std::string& name, const text::aliases& aliases) {
    if (listed_.insert(name).second)
      members_ += "  " + typescript::key(name) + ": " + name_ + "[\"" + aliases.camel + "\"];\n";
  }

  type_names& taken_;
  typescript::unknowns unknowns_;
  std::string prefix_;
  std::string name_;
  std::string declarations_;
  std::string members_;
  std::set<std::string> listed_; ///< names that are there already: a server may list a tool twice
};

/// Calls `use(server, its typescript_server, its aliases)` for each.
void for_each_server(const std::vector<server_tools>& servers, typescript::unknowns how, const auto& use) {
  std::vector<std::string_view> names;
  names.reserve(servers.size());
  for (auto& [server, tools] : servers)
    names.emplace_back(server);
  auto server_aliases = text::unique_aliases(names);
  type_names taken;
  for (auto& word : typescript::words)
    taken.reserve(word);
  for (auto& a : server_aliases)
    taken.reserve(a.camel);
  for (size_t i = 0; i < servers.size(); ++i) {
    auto& [server, tools] = servers[i];
    typescript_server text{taken, server, how};
    auto aliases = aliases_of(tools);
    for (size_t t = 0; t < tools.size(); ++t)
      text.add(tools[t], aliases[t]);
    use(servers[i], text, server_aliases[i]);
  }
}

} // namespace

std::string typescript_module(const std::vector<server_tools>& servers) {
  std::string out;
  for_each_server(servers, typescript::unknowns::are_unknown, [&](auto&, auto& text, auto& alias) {
    out += text.text() + "export declare const " + alias.camel + ": " + text.name() + ";\n";
  });
  return out;
}

std::vector<server_tools> mentioned_in(std::string_view code, const msg::tool_list& tools) {
  std::map<std::string, msg::tool_list> by_server;
  for (auto& tool : tools)
    by_server[tool.server].push_back(tool);
  std::vector<server_tools> out;
  for (auto& [server, list] : by_server) {
    auto alias = text::aliases_of(server);
    for (auto& name : {server, alias.camel, alias.snake})
      if (code.find(name) != code.npos) {
        out.emplace_back(server, list);
        break;
      }
  }
  return out;
}

std::string typescript_for_checking(const std::vector<server_tools>& servers) {
  std::string out, by_server, by_tool;
  for_each_server(servers, typescript::unknowns::are_any, [&](auto& server, auto& text, auto& alias) {
    out += text.text();
    for (auto& name : std::set<std::string>{server.first, alias.camel, alias.snake})
      by_server += "  " + typescript::key(name) + ": " + text.name() + ";\n";
    std::set<std::string> listed;
    for (auto& tool : server.second)
      if (listed.insert(tool.name).second)
        by_tool += "  " + typescript::key("mcp__" + server.first + "__" + tool.name) + ": " + text.name() + "["
                   + text::to_text(boost::json::value(tool.name)) + "];\n";
  });
  return out + "export interface McpServers {\n" + by_server
         + "  [server: string]: any;\n}\nexport interface McpTools {\n" + by_tool + "}\n";
}

std::string python_module(const std::string& server, const msg::tool_list& tools) {
  auto aliases = aliases_of(tools);
  std::vector<std::string> functions;
  functions.reserve(aliases.size());
  for (auto& a : aliases)
    functions.push_back(a.snake);
  python stub{functions};
  std::string body;
  for (size_t i = 0; i < tools.size(); ++i) {
    std::vector<named_type> names;
    auto prefix = type_name(tools[i].name);
    auto text = body.size() > bounds::module_bytes_max
                  ? std::string{}
                  : stub.function(read_tool(tools[i], prefix, names), names, functions[i], prefix);
    if (text.empty() || text.size() > bounds::signature_bytes_max)
      text = stub.function(plain_tool({}), {}, functions[i], prefix);
    body += text + "\n";
  }
  return python::docstring("The tools of the MCP server " + server, 0) + stub.header() + body;
}

} // namespace types
