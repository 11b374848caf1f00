#include "config/environment.hpp"

#include "config/clients.hpp"

#include <algorithm>
#include <cstdlib>

namespace config {

namespace {

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto end = std::min(text.find(','), text.size());
    auto item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto first = item.find_first_not_of(" \t"), last = item.find_last_not_of(" \t");
    if (first != item.npos)
      out.emplace_back(item.substr(first, last - first + 1));
  }
  return out;
}

} // namespace

std::string absolute_folders(std::string_view search_path) {
  std::string out;
  while (!search_path.empty()) {
    auto folder = search_path.substr(0, search_path.find(':'));
    search_path.remove_prefix(std::min(folder.size() + 1, search_path.size()));
    if (folder.starts_with('/'))
      out += (out.empty() ? "" : ":") + std::string{folder};
  }
  return out;
}

variable_lookup process_environment() {
  return [](std::string_view name) {
    auto* value = std::getenv(std::string{name}.c_str());
    return value && name == "PATH" ? absolute_folders(value) : std::string{value ? value : ""};
  };
}

environment read_environment(const variable_lookup& variable, std::string cwd) {
  environment e;
  e.cwd = std::move(cwd);
  e.home = variable("HOME");
  e.path = variable("PATH");
  e.mcp_config_path = variable("MCP_CONFIG_PATH");
  e.connected_servers = comma_list(variable("CONNECTED_SERVERS"));
  e.deno = variable("DENO_PATH");
  e.python = variable("PYTHON_PATH");
  for (auto* name : place_variables())
    if (auto value = variable(name); !value.empty())
      e.places.emplace(name, std::move(value));
  return e;
}

} // namespace config
