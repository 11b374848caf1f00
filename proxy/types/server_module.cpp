#include "proxy/types/server_module.hpp"

#include "proxy/types/bounds.hpp"
#include "proxy/types/python.hpp"
#include "proxy/types/tool_types.hpp"
#include "proxy/types/type_names.hpp"
#include "proxy/types/typescript.hpp"
#include "text/aliases.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <set>

namespace types {

std::vector<text::aliases> aliases_of(const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (auto& tool : tools)
    names.emplace_back(tool.name);
  return text::unique_aliases(names);
}

namespace {

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

/// Types of the module that programs are checked against: one of a server that has their name would be joined to it.
constexpr std::string_view checked_words[] = {"McpServers", "McpTools"};

std::string full_name(const std::string& server, const std::string& tool) { return "mcp__" + server + "__" + tool; }

/// The type of a tool by its own name.
std::string member(const std::string& interface_name, const std::string& tool) {
  return interface_name + "[" + text::to_text(boost::json::value(tool)) + "]";
}

/// A server under each of its names.
std::string by_names(const std::string& server, const text::aliases& aliases, const std::string& interface_name,
                     const std::string& indent) {
  std::string out;
  for (auto& name : std::set<std::string>{server, aliases.camel, aliases.snake})
    out.append(indent).append(typescript::key(name)).append(": ").append(interface_name).append(";\n");
  return out;
}

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
  if (how == typescript::unknowns::are_any)
    for (auto word : checked_words)
      taken.reserve(word);
  for (size_t i = 0; i < servers.size(); ++i) {
    auto& [server, tools] = servers[i];
    typescript_server text{taken, server, how};
    auto aliases = aliases_of(tools);
    for (size_t t = 0; t < tools.size(); ++t)
      text.add(tools[t], aliases[t]);
    use(servers[i], text, server_aliases[i]);
  }
}

/// Modules are strict: they may export these two, and not declare them.
std::string exported_const(const std::string& name, const std::string& type) {
  bool is_declared = name != "eval" && name != "arguments";
  return is_declared ? "export declare const " + name + ": " + type + ";\n"
                     : "declare const $" + name + ": " + type + ";\nexport { $" + name + " as " + name + " };\n";
}

} // namespace

std::string typescript_module(const std::vector<server_tools>& servers) {
  std::string out;
  for_each_server(servers, typescript::unknowns::are_unknown, [&](auto&, auto& text, auto& alias) {
    out += text.text() + exported_const(alias.camel, text.name());
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
    by_server += by_names(server.first, alias, text.name(), "  ");
    std::set<std::string> listed;
    for (auto& tool : server.second)
      if (listed.insert(tool.name).second)
        by_tool +=
          "  " + typescript::key(full_name(server.first, tool.name)) + ": " + member(text.name(), tool.name) + ";\n";
  });
  return out + "export interface McpServers {\n" + by_server
         + "  [server: string]: any;\n}\nexport interface McpTools {\n" + by_tool + "}\n";
}

std::string typescript_wrapper(const wrapped_server& server) {
  type_names taken;
  for (auto& word : typescript::words)
    taken.reserve(word);
  for (auto* global : {"CodeExecutorServers", "CodeExecutorTools"}) // what is added to below
    taken.reserve(global);
  typescript_server text{taken, server.name, typescript::unknowns::are_any_but_observed};
  for (size_t i = 0; i < server.tools.size(); ++i)
    text.add(server.tools[i], server.tool_aliases[i]);
  std::string by_tool;
  std::set<std::string> listed;
  for (auto& tool : server.tools)
    if (auto full = full_name(server.name, tool.name); server.is_meant_by(full) && listed.insert(full).second)
      by_tool += "    " + typescript::key(full) + ": " + member(text.name(), tool.name) + ";\n";
  auto own_name = text::to_text(boost::json::value(server.name));
  auto by_server = by_names(server.name, server.aliases, text.name(), "    ");
  // An alias may be a word that no declaration may use.
  return text.text() + "const tools = (globalThis as unknown as { mcp: { " + own_name + ": " + text.name()
         + " } }).mcp[" + own_name + "];\nexport { tools as " + server.aliases.camel
         + " };\ndeclare global {\n  interface CodeExecutorServers {\n" + by_server
         + "  }\n  interface CodeExecutorTools {\n" + by_tool + "  }\n}\n";
}

std::vector<std::string> python_names(const std::vector<text::aliases>& aliases) {
  std::vector<std::string> out;
  for (auto& a : aliases)
    if (python::may_be_function(a.snake))
      out.push_back(a.snake);
  return out;
}

std::string python_module(const std::string& server, const msg::tool_list& tools) {
  return python_module(server, tools, aliases_of(tools));
}

std::string python_module(const std::string& server, const msg::tool_list& tools,
                          const std::vector<text::aliases>& aliases) {
  std::vector<std::string> functions;
  functions.reserve(aliases.size());
  for (auto& a : aliases)
    functions.push_back(a.snake);
  python stub{functions};
  std::string body;
  for (size_t i = 0; i < tools.size(); ++i) {
    if (!python::may_be_function(functions[i]))
      continue;
    std::vector<named_type> names;
    auto prefix = type_name(tools[i].name);
    auto text = body.size() > bounds::module_bytes_max
                  ? std::string{}
                  : stub.function(read_tool(tools[i], prefix, names), names, functions[i], prefix);
    if (text.empty() || text.size() > bounds::signature_bytes_max)
      text = stub.function(plain_tool({}), {}, functions[i], prefix);
    body += text + "\n";
  }
  return python::docstring("The tools of the MCP server " + text::printable(server), 0) + stub.header() + body;
}

} // namespace types
