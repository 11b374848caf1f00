#include "proxy/tool_docs.hpp"

#include "messages/utf8.hpp"
#include "proxy/names.hpp"
#include "signatures/tool_signature.hpp"

#include <boost/json/value.hpp>

namespace proxy {

namespace json = boost::json;

namespace {

/// Names listed in a hint; a model does not need five hundred.
constexpr size_t hinted_servers_max = 20;
constexpr size_t minimal_description_bytes_max = 100;
/// Names of tools of servers that are not connected, in a list of servers: beyond that only their number is told.
constexpr size_t listed_tools_max = 500;

void copy_field(const json::object& from, const char* field, json::object& to, const char* as) {
  if (auto* v = from.if_contains(field))
    to[as] = *v;
}

void add_observed(const msg::tool_info& tool, json::object& to) {
  if (!tool.observed.value().is_null())
    to["observedOutputSchema"] = tool.observed.value();
}

void name_twins(const msg::tool_matches& found, size_t i, json::object& to) {
  if (i < found.also_on.size() && !found.also_on[i].empty())
    to["alsoOn"] = json::array(found.also_on[i].begin(), found.also_on[i].end());
}

std::string not_indexed(const std::vector<std::string>& servers) {
  std::string names;
  for (size_t i = 0; i < std::min(servers.size(), hinted_servers_max); ++i)
    names += (i > 0 ? ", " : "") + servers[i];
  if (servers.size() > hinted_servers_max)
    names += ", and " + std::to_string(servers.size() - hinted_servers_max) + " more";
  return "The tools of these servers are not known yet: " + names + ". Name a server to start it and search its tools.";
}

/// Servers that are not connected, whose tools are known from an earlier time.
json::array indexed_servers(const std::vector<msg::server_status>& servers) {
  size_t tools = 0;
  for (auto& s : servers)
    tools += s.state == msg::server_state::ready ? 0 : s.tools.size();
  json::array out;
  for (auto& s : servers) {
    if (s.state == msg::server_state::ready || s.tools.empty())
      continue;
    json::object doc{{"name", s.name}, {"toolCount", s.tool_count}};
    if (tools <= listed_tools_max)
      doc["tools"] = json::array(s.tools.begin(), s.tools.end());
    out.push_back(std::move(doc));
  }
  return out;
}

} // namespace

json::object tool_doc(const msg::tool_info& tool, msg::tool_detail detail) {
  json::object doc{{"name", full_name(tool.server, tool.name)}, {"server", tool.server}, {"tool", tool.name}};
  if (detail == msg::tool_detail::minimal)
    return doc;
  doc["description"] = tool.description;
  auto* definition = tool.definition.value().if_object();
  if (!definition)
    return doc;
  copy_field(*definition, "inputSchema", doc, "parameters");
  if (detail == msg::tool_detail::full) {
    copy_field(*definition, "outputSchema", doc, "outputSchema");
    copy_field(*definition, "annotations", doc, "annotations");
    add_observed(tool, doc);
  }
  return doc;
}

json::array tool_docs(const msg::tool_matches& found, msg::tool_detail detail) {
  json::array docs;
  for (size_t i = 0; i < found.tools.size(); ++i) {
    auto doc = tool_doc(found.tools[i], detail);
    name_twins(found, i, doc);
    docs.push_back(std::move(doc));
  }
  return docs;
}

json::array search_entries(const msg::tool_matches& found, msg::tool_detail detail) {
  json::array entries;
  for (size_t i = 0; i < found.tools.size(); ++i) {
    auto& tool = found.tools[i];
    bool shorten = detail == msg::tool_detail::minimal && tool.description.size() > minimal_description_bytes_max;
    json::object entry{{"server", tool.server},
                       {"tool", tool.name},
                       {"description", shorten ? msg::quoted(tool.description, minimal_description_bytes_max) + "..." : tool.description}};
    auto* definition = tool.definition.value().if_object();
    if (definition && detail == msg::tool_detail::full)
      copy_field(*definition, "inputSchema", entry, "inputSchema");
    name_twins(found, i, entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

json::object signature_doc(const msg::tool_info& tool, msg::language lang) {
  auto signature = lang == msg::language::python ? signatures::python_of(tool) : signatures::typescript_of(tool);
  json::object doc{{"server", tool.server}, {"tool", tool.name}, {"signature", signature}, {"description", tool.description}};
  if (signatures::is_too_large(tool))
    doc["note"] = "The definition of this tool has " + std::to_string(tool.definition.text_bytes() >> 10)
                  + " KiB, which is too much to be shown as types; a program reads its schema with getToolSchema (get_tool_schema).";
  else if (auto* definition = tool.definition.value().if_object())
    for (auto field : {"inputSchema", "outputSchema", "annotations"})
      copy_field(*definition, field, doc, field);
  add_observed(tool, doc);
  return doc;
}

json::object servers_doc(const std::vector<msg::server_status>& servers) {
  json::array connected, available;
  json::object failed, changed;
  uint64_t tools = 0;
  for (auto& s : servers) {
    tools += s.tool_count;
    if (s.held_tools > 0)
      changed[s.name] = s.held_tools;
    if (s.state == msg::server_state::ready) {
      connected.push_back(json::object{
        {"name", s.name}, {"status", to_string(s.state)}, {"toolCount", s.tool_count}, {"tools", json::array(s.tools.begin(), s.tools.end())}});
    } else {
      available.push_back(json::string{s.name});
    }
    if (s.state != msg::server_state::ready && !s.last_error.empty())
      failed[s.name] = s.last_error;
  }
  json::object doc{{"servers", std::move(connected)}, {"available", std::move(available)}};
  if (auto indexed = indexed_servers(servers); !indexed.empty())
    doc["indexed"] = std::move(indexed);
  doc["totalTools"] = tools;
  if (!failed.empty())
    doc["errors"] = std::move(failed);
  if (!changed.empty())
    doc["changedTools"] = std::move(changed);
  return doc;
}

std::string search_hint(const msg::tool_matches& found) {
  std::string out;
  if (found.tools.empty())
    out = "No tool was found. ";
  else if (found.fit == msg::search_fit::poor)
    out = "No tool has most of what was asked for: these are the nearest. Other words, or the name of a server, may find a better one. ";
  if (!out.empty() && !found.not_indexed.empty())
    return out + not_indexed(found.not_indexed);
  if (!out.empty())
    out.pop_back();
  return out;
}

} // namespace proxy
