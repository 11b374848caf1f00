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

namespace {

msg::tool_list::const_iterator named(const msg::listed_tools& tools, const std::string& name) {
  return std::find_if(tools->begin(), tools->end(), [&](auto& t) { return t.name == name; });
}

} // namespace

const msg::tool_info* reviewed_list::tool(const std::string& name) const {
  auto found = named(tools, name);
  return found == tools->end() ? nullptr : &*found;
}

bool reviewed_list::is_settled(const std::string& tool) const {
  if (holds(tool)) // its own name means it, whatever has an alias that is spelled like it
    return false;
  auto which = names.find(tool);
  return which < 0 ? with_held->empty() : (*tools)[static_cast<size_t>(which)].changed.empty();
}

bool reviewed_list::holds(const std::string& tool) const {
  auto which = names.find(tool);
  if (with_held->empty() || (which >= 0 && (*tools)[static_cast<size_t>(which)].name == tool))
    return false;
  return named(with_held, tool) != with_held->end();
}

void reviewed_list::update(const msg::tool_info& tool) {
  auto same = named(tools, tool.name);
  bool is_new = same == tools->end();
  if (!is_new && same->changed == tool.changed)
    return;
  auto now = *tools; // others have this list, too
  if (is_new)
    now.push_back(tool);
  else
    now[static_cast<size_t>(same - tools->begin())].changed = tool.changed;
  tools = std::move(now);
  if (is_new)
    names = names_in(*tools);
}

} // namespace servers
