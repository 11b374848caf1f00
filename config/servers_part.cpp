#include "config/servers_part.hpp"

#include "config/clients.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace config {

namespace json = boost::json;

namespace {

/// Whether it is a list of servers without anything around it.
bool is_bare_list(const json::value& root) {
  auto* object = root.if_object();
  auto is_entry = [](const json::key_value_pair& member) {
    auto* entry = member.value().if_object();
    // Cline's newer entries have all of it in there.
    auto* transport = entry ? entry->if_contains("transport") : nullptr;
    if (transport && transport->is_object())
      entry = transport->if_object();
    for (auto* key : {"command", "url", "serverUrl", "httpUrl"})
      if (auto* value = entry ? entry->if_contains(key) : nullptr; value && (value->is_string() || value->is_array()))
        return true;
    return false;
  };
  return object && !object->empty() && std::all_of(object->begin(), object->end(), is_entry);
}

} // namespace

part_of_file find_part(const json::value& root, std::string_view keys, const environment& env) {
  part_of_file at{&root, ""};
  while (!keys.empty() && at.value) {
    auto end = std::min(keys.find('/'), keys.size());
    auto key = keys.substr(0, end) == "{project}" ? std::string_view{env.cwd} : keys.substr(0, end);
    keys.remove_prefix(std::min(end + 1, keys.size()));
    auto* object = at.value->if_object();
    at = {object ? object->if_contains(key) : nullptr, member_path(at.path, key)};
  }
  return at;
}

part_of_file find_servers(const config_file& file, const char* container, const environment& env) {
  if (container)
    return find_part(file.root(), container, env);
  if (is_bare_list(file.root()))
    return {&file.root(), ""};
  for (auto* keys : usual_containers())
    if (auto found = find_part(file.root(), keys, env); found.value)
      return found;
  return {};
}

} // namespace config
