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

void copy_field(const json::object& from, const char* field, json::object& to, const char* as) {
  if (auto* v = from.if_contains(field))
    to[as] = *v;
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
  }
  return doc;
}

json::array tool_docs(const msg::tool_list& tools, msg::tool_detail detail) {
  json::array docs;
  for (auto& tool : tools)
    docs.push_back(tool_doc(tool, detail));
  return docs;
}

json::array search_entries(const msg::tool_list& tools, msg::tool_detail detail) {
  json::array entries;
  for (auto& tool : tools) {
    bool shorten = detail == msg::tool_detail::minimal && tool.description.size() > minimal_description_bytes_max;
    json::object entry{{"server", tool.server},
                       {"tool", tool.name},
                       {"description", shorten ? msg::quoted(tool.description, minimal_description_bytes_max) + "..." : tool.description}};
    auto* definition = tool.definition.value().if_object();
    if (definition && detail == msg::tool_detail::full)
      copy_field(*definition, "inputSchema", entry, "inputSchema");
    entries.push_back(std::move(entry));
  }
  return entries;
}

json::object signature_doc(const msg::tool_info& tool, msg::language lang) {
  auto signature = lang == msg::language::python ? signatures::python_of(tool) : signatures::typescript_of(tool);
  json::object doc{{"server", tool.server}, {"tool", tool.name}, {"signature", signature}, {"description", tool.description}};
  if (auto* definition = tool.definition.value().if_object())
    for (auto field : {"inputSchema", "outputSchema", "annotations"})
      copy_field(*definition, field, doc, field);
  return doc;
}

json::object servers_doc(const std::vector<msg::server_status>& servers) {
  json::array connected, available;
  json::object failed;
  uint64_t tools = 0;
  for (auto& s : servers) {
    if (s.state == msg::server_state::ready) {
      connected.push_back(json::object{
        {"name", s.name}, {"status", to_string(s.state)}, {"toolCount", s.tool_count}, {"tools", json::array(s.tools.begin(), s.tools.end())}});
      tools += s.tool_count;
    } else {
      available.push_back(json::string{s.name});
    }
    if (s.state != msg::server_state::ready && !s.last_error.empty())
      failed[s.name] = s.last_error;
  }
  json::object doc{{"servers", std::move(connected)}, {"available", std::move(available)}, {"totalTools", tools}};
  if (!failed.empty())
    doc["errors"] = std::move(failed);
  return doc;
}

std::string not_indexed_hint(const msg::tool_matches& matches) {
  if (matches.not_indexed.empty())
    return {};
  std::string names;
  for (size_t i = 0; i < std::min(matches.not_indexed.size(), hinted_servers_max); ++i)
    names += (i > 0 ? ", " : "") + matches.not_indexed[i];
  if (matches.not_indexed.size() > hinted_servers_max)
    names += ", and " + std::to_string(matches.not_indexed.size() - hinted_servers_max) + " more";
  return "The tools of these servers are not known yet: " + names + ". Name a server to start it and search its tools.";
}

} // namespace proxy
