#include "config/server_list.hpp"

#include "config/json_file.hpp"
#include "config/launch.hpp"
#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

/// Reads one entry; every complaint names file, server and field.
class entry_reader {
public:
  entry_reader(std::string name, const std::string& path, std::vector<std::string>& problems)
    : where_(path + ": server '" + name + "'"),
      problems_(problems) {
    entry_.name = std::move(name);
    entry_.source = path;
  }

  std::optional<msg::server_entry> read(const json::value& value) {
    auto* object = value.if_object();
    if (!object)
      return complain("expected an object, not " + msg::quoted(msg::to_text(value), 60)), std::nullopt;
    entry_.disabled = flag(*object, "disabled");
    entry_.cwd = text(*object, "cwd");
    entry_.command = text(*object, "command");
    read_arguments(*object);
    read_environment(*object);
    if (entry_.command.empty())
      entry_.unusable = object->contains("url") ? "servers with a url (HTTP, SSE) are not supported by this version" : "the entry has no 'command'";
    if (broken_)
      return std::nullopt;
    return std::move(entry_);
  }

private:
  void complain(const std::string& what) {
    problems_.push_back(where_ + ": " + what + "; the entry is skipped");
    broken_ = true;
  }

  std::string text(const json::object& o, const char* key) {
    auto* v = o.if_contains(key);
    if (!v)
      return {};
    if (!v->is_string())
      return complain(std::string{"'"} + key + "' must be a string, not " + msg::quoted(msg::to_text(*v), 60)), std::string{};
    return std::string{v->get_string()};
  }

  bool flag(const json::object& o, const char* key) {
    auto* v = o.if_contains(key);
    return v && v->is_bool() && v->get_bool();
  }

  void read_arguments(const json::object& o) {
    auto* args = o.if_contains("args");
    if (!args)
      return;
    if (!args->is_array())
      return complain("'args' must be a list of strings");
    for (auto& a : args->get_array()) {
      if (!a.is_string())
        return complain("'args' must be a list of strings, and holds " + msg::quoted(msg::to_text(a), 60));
      entry_.args.emplace_back(a.get_string());
    }
  }

  void read_environment(const json::object& o) {
    auto* env = o.if_contains("env");
    if (!env)
      return;
    if (!env->is_object())
      return complain("'env' must be an object of strings");
    for (auto& [key, value] : env->get_object()) {
      if (!value.is_string() && !value.is_number() && !value.is_bool()) // the value may be a secret: never quoted
        return complain("'env." + std::string{key} + "' must be a string");
      entry_.env.emplace_back(std::string{key}, value.is_string() ? std::string{value.get_string()} : msg::to_text(value));
    }
  }

  std::string where_;
  std::vector<std::string>& problems_;
  msg::server_entry entry_;
  bool broken_ = false;
};

using entries = std::map<std::string, msg::server_entry>;

class loader {
public:
  loader(const environment& env, const std::string& own_executable) : env_(env), own_executable_(own_executable) {}

  void read(const server_source& source) {
    auto file = read_json_file(source.path);
    if (!file.exists) {
      if (source.required)
        list_.problems.push_back(source.path + ": there is no such file, and MCP_CONFIG_PATH or mcpConfigPath names it");
      return;
    }
    if (std::find(list_.files.begin(), list_.files.end(), source.path) != list_.files.end())
      return; // one file under two roles
    list_.files.push_back(source.path);
    if (!file.content.ok())
      return list_.problems.push_back(file.content.error.message + "; the file is skipped");
    auto* root = file.content.value.value().if_object();
    auto* servers = root ? root->if_contains(source.container) : nullptr;
    if (!root || (servers && !servers->is_object()))
      return list_.problems.push_back(source.path + ": expected an object with an object '" + source.container + "'; the file is skipped");
    for (auto& [name, value] : servers ? servers->get_object() : json::object{})
      add(std::string{name}, value, source.path);
  }

  server_list finish() && {
    for (auto& [name, entry] : entries_)
      list_.entries.push_back(std::move(entry));
    return std::move(list_);
  }

private:
  void add(std::string name, const json::value& value, const std::string& path) {
    if (auto known = entries_.find(name); known != entries_.end())
      return known->second.shadows.push_back(path);
    if (name.empty() || entries_.size() >= limits::config_servers_max)
      return list_.problems.push_back(path
                                      + (name.empty() ? ": a server without a name is skipped" : ": too many servers; '" + name + "' is skipped"));
    auto entry = entry_reader{name, path, list_.problems}.read(value);
    if (entry && !starts_executable(*entry, own_executable_, env_))
      entries_.emplace(std::move(name), std::move(*entry));
  }

  const environment& env_;
  const std::string& own_executable_;
  entries entries_;
  server_list list_;
};

} // namespace

std::vector<server_source> server_sources(const environment& env) {
  std::vector<server_source> sources;
  if (!env.mcp_config_path.empty())
    sources.push_back({env.mcp_config_path, "mcpServers", true});
  sources.push_back({env.cwd + "/.mcp.json", "mcpServers"});
  if (!env.home.empty())
    sources.push_back({env.home + "/.claude.json", "mcpServers"});
  return sources;
}

server_list load_servers(const environment& env, const std::string& own_executable) {
  loader l{env, own_executable};
  for (auto& source : server_sources(env))
    l.read(source);
  return std::move(l).finish();
}

} // namespace config
