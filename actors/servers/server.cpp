#include "actors/servers/server.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string_view>

namespace servers {

proxy::name_table names_in(const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (auto& t : tools)
    names.push_back(t.name);
  return proxy::name_table{names};
}

bool declares_output(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  return definition && definition->contains("outputSchema");
}

bool reviewed_list::is_settled(const std::string& tool) const {
  auto which = names.find(tool);
  return which < 0 ? with_held.empty() : tools[static_cast<size_t>(which)].changed.empty();
}

bool reviewed_list::holds(const std::string& tool) const {
  auto which = names.find(tool);
  if (with_held.empty() || (which >= 0 && tools[static_cast<size_t>(which)].name == tool))
    return false;
  return std::any_of(with_held.begin(), with_held.end(), [&](auto& t) { return t.name == tool; });
}

void reviewed_list::update(const msg::tool_info& tool) {
  auto same = std::find_if(tools.begin(), tools.end(), [&](auto& t) { return t.name == tool.name; });
  if (same != tools.end()) {
    same->changed = tool.changed;
    return;
  }
  tools.push_back(tool);
  names = names_in(tools);
}

} // namespace servers
