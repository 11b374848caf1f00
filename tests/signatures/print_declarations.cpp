// Prints what the generator makes of tools: a tool as JSON in each line of stdin, `{"typescript", "python"}` in each of
// stdout. With the names of a language and a server as arguments: the module of a server with all these tools. With
// `wrapper` and a server: its file for editors, in TypeScript.
#include "proxy/types/server_module.hpp"
#include "proxy/types/tool_signature.hpp"
#include "text/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <iostream>
#include <string>

namespace {

std::string text_of(const boost::json::object& tool, std::string_view key) {
  auto* v = tool.if_contains(key);
  return v && v->is_string() ? std::string{v->get_string()} : std::string{};
}

msg::tool_info tool_of(const std::string& line) {
  auto parsed = msg::document::parse(line);
  if (!parsed.ok() || !parsed.value.value().is_object())
    return {};
  auto& tool = parsed.value.value().get_object();
  return {text_of(tool, "server"), text_of(tool, "name"), text_of(tool, "description"), parsed.value};
}

void print_each() {
  for (std::string line; std::getline(std::cin, line);) {
    auto tool = tool_of(line);
    boost::json::object out{{"typescript", types::typescript_of(tool)}, {"python", types::python_of(tool)}};
    std::cout << text::to_text(out) << "\n";
  }
}

void print_module(std::string_view kind, const std::string& server) {
  msg::tool_list tools;
  for (std::string line; std::getline(std::cin, line);)
    tools.push_back(tool_of(line));
  if (kind == "wrapper")
    std::cout << types::typescript_wrapper(
      {server, text::aliases_of(server), tools, types::aliases_of(tools), [](const std::string&) { return true; }});
  else if (kind == "python")
    std::cout << types::python_module(server, tools);
  else
    std::cout << types::typescript_module({{server, tools}});
}

} // namespace

int main(int count, char** words) {
  if (count == 3)
    print_module(words[1], words[2]);
  else
    print_each();
}
