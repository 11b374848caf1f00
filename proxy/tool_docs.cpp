#include "proxy/tool_docs.hpp"

#include "proxy/listed_servers.hpp"
#include "proxy/names.hpp"
#include "proxy/summary.hpp"
#include "proxy/types/example_call.hpp"
#include "proxy/types/parameter_line.hpp"
#include "proxy/types/tool_signature.hpp"
#include "text/json_text.hpp"

#include <boost/json/value.hpp>

namespace proxy {

namespace json = boost::json;

namespace {

/// Names listed in a hint; a model does not need five hundred.
constexpr size_t hinted_servers_max = 20;
constexpr size_t minimal_description_bytes_max = 100;
/// Of one tool in a list at detail `standard`, as JSON: ten and what is around them have at most 4,000 characters.
constexpr size_t entry_bytes_max = 370;
/// Of description and parameters together, however long the name is.
constexpr size_t entry_text_bytes_min = 80;
/// Servers that have the same tool, in an entry of a list; of more, their number is told.
constexpr size_t listed_twins_max = 3;
/// Names of tools of servers that are not connected, in a list of servers: beyond that only their number is told.
constexpr size_t listed_tools_max = 500;
/// The same of those that are connected, in bytes: some 2,000 names. A server may have any number of tools.
constexpr size_t listed_names_bytes_max = 64u << 10;

void copy_field(const json::object& from, const char* field, json::object& to, const char* as) {
  if (auto* v = from.if_contains(field))
    to[as] = *v;
}

void add_observed(const msg::tool_info& tool, json::object& to) {
  if (!tool.observed.value().is_null())
    to["observedOutputSchema"] = tool.observed.value();
}

void name_twins(const msg::tool_matches& found, size_t i, json::object& to) {
  if (i >= found.also_on.size() || found.also_on[i].empty())
    return;
  auto& all = found.also_on[i];
  auto listed = std::min(all.size(), listed_twins_max);
  to["alsoOn"] = json::array(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(listed));
  if (listed < all.size())
    to["alsoOnCount"] = all.size();
}

/// Which dialect of JSON Schema it is helps no model that chooses a tool.
void drop_dialect(json::object& doc) {
  for (auto field : {"parameters", "outputSchema"})
    if (auto* schema = doc.if_contains(field); schema && schema->is_object())
      schema->get_object().erase("$schema");
}

/// Both share the room that name and twins leave; what the parameters do not need the description has.
void add_short_texts(const msg::tool_info& tool, json::object& to) {
  for (auto field : {"description", "parameters"})
    to[field] = "";
  auto used = text::to_text(to).size();
  auto room = std::max(entry_text_bytes_min, entry_bytes_max - std::min(entry_bytes_max, used));
  auto parameters = types::parameter_line(tool, room / 2);
  to["description"] = summary(tool.description, room - parameters.size());
  to["parameters"] = parameters;
}

json::object declared_doc(const msg::tool_info& tool) {
  json::object doc{{"name", full_name(tool.server, tool.name)},
                   {"server", tool.server},
                   {"tool", tool.name},
                   {"description", tool.description}};
  if (auto* definition = tool.definition.value().if_object())
    copy_field(*definition, "inputSchema", doc, "parameters");
  return doc;
}

/// `head`: what is always in it.
json::object entry_of(const msg::tool_matches& found, size_t i, msg::tool_detail detail, json::object head) {
  auto& tool = found.tools[i];
  if (detail == msg::tool_detail::full)
    head = tool_doc(tool);
  name_twins(found, i, head);
  if (detail == msg::tool_detail::standard)
    add_short_texts(tool, head);
  if (detail == msg::tool_detail::declared)
    for (auto field : {"description", "parameters"})
      if (auto doc = declared_doc(tool); doc.contains(field))
        head[field] = std::move(doc[field]);
  drop_dialect(head);
  return head;
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
json::array indexed_servers(const std::vector<const msg::server_status*>& servers) {
  size_t tools = 0;
  for (auto* s : servers)
    tools += s->state == msg::server_state::ready ? 0 : s->tools.size();
  json::array out;
  for (auto* s : servers) {
    if (s->state == msg::server_state::ready || s->tools.empty())
      continue;
    json::object doc{{"name", s->name}, {"toolCount", s->tool_count}};
    if (tools <= listed_tools_max)
      doc["tools"] = json::array(s->tools.begin(), s->tools.end());
    out.push_back(std::move(doc));
  }
  return out;
}

/// Of its names as many as there is room for.
json::object connected_server(const msg::server_status& s, size_t& room) {
  json::array names;
  for (auto& name : s.tools) {
    if (name.size() > room)
      break;
    room -= name.size();
    names.push_back(json::string{name});
  }
  json::object doc{{"name", s.name}, {"status", to_string(s.state)}, {"toolCount", s.tool_count}};
  auto more = s.tools.size() - names.size();
  doc["tools"] = std::move(names);
  if (more > 0)
    doc["moreTools"] = more;
  return doc;
}

} // namespace

json::object tool_doc(const msg::tool_info& tool) {
  auto doc = declared_doc(tool);
  if (tool.needs_consent) // so that loops announce their calls
    doc["needsApproval"] = true;
  if (auto* definition = tool.definition.value().if_object())
    for (auto field : {"outputSchema", "annotations"})
      copy_field(*definition, field, doc, field);
  add_observed(tool, doc);
  return doc;
}

json::array tool_docs(const msg::tool_matches& found, msg::tool_detail detail) {
  json::array docs;
  for (size_t i = 0; i < found.tools.size(); ++i)
    docs.push_back(entry_of(found, i, detail, {{"name", full_name(found.tools[i].server, found.tools[i].name)}}));
  return docs;
}

json::array search_entries(const msg::tool_matches& found, msg::tool_detail detail) {
  json::array entries;
  for (size_t i = 0; i < found.tools.size(); ++i) {
    auto& tool = found.tools[i];
    json::object head{{"name", full_name(tool.server, tool.name)}, {"server", tool.server}, {"tool", tool.name}};
    if (detail == msg::tool_detail::minimal)
      head["description"] = summary(tool.description, minimal_description_bytes_max);
    entries.push_back(entry_of(found, i, detail, std::move(head)));
  }
  return entries;
}

json::object signature_doc(const msg::tool_info& tool, msg::language lang) {
  auto call = types::example_call(tool, lang);
  auto signature =
    lang == msg::language::python ? "# " + call + "\n" + types::python_of(tool) : types::typescript_of(tool);
  json::object doc{
    {"name", full_name(tool.server, tool.name)}, {"server", tool.server},   {"tool", tool.name},
    {"description", tool.description},           {"call", std::move(call)}, {"signature", std::move(signature)}};
  if (types::is_too_large(tool)) {
    doc["note"] = "The definition of this tool has " + std::to_string(tool.definition.text_bytes() >> 10)
                  + " KiB, which is too much to be shown as types; a program reads its schema with getToolSchema "
                    "(get_tool_schema).";
    add_observed(tool, doc);
    return doc;
  }
  for (auto& field : tool_doc(tool))
    doc[field.key()] = field.value();
  return doc;
}

json::object signature_answer(const msg::tool_info& tool) {
  auto doc = signature_doc(tool, msg::language::typescript);
  if (auto* parameters = doc.if_contains("parameters")) {
    auto same = *parameters; // the place of the original moves
    doc["inputSchema"] = std::move(same);
  }
  return doc;
}

json::object servers_doc(const std::vector<msg::server_status>& servers) {
  json::array connected, available;
  json::object failed, changed;
  uint64_t tools = 0;
  auto names_room = listed_names_bytes_max;
  auto shown = listed(servers);
  for (auto& s : servers)
    tools += s.tool_count;
  for (auto* each : shown.told) {
    auto& s = *each;
    if (s.held_tools > 0)
      changed[s.name] = s.held_tools;
    if (s.state == msg::server_state::ready) {
      connected.push_back(connected_server(s, names_room));
    } else {
      available.push_back(json::string{s.name});
    }
    if (s.state != msg::server_state::ready && !s.last_error.empty())
      failed[s.name] = problem_text(s.last_error);
  }
  json::object doc{{"servers", std::move(connected)}, {"available", std::move(available)}};
  if (auto indexed = indexed_servers(shown.told); !indexed.empty())
    doc["indexed"] = std::move(indexed);
  if (auto more = more_doc(shown); !more.empty())
    doc["more"] = std::move(more);
  doc["totalTools"] = tools;
  if (!failed.empty())
    doc["errors"] = std::move(failed);
  if (!changed.empty())
    doc["changedTools"] = std::move(changed);
  return doc;
}

std::string search_hint(const msg::tool_matches& found) {
  std::string out;
  if (found.tools.empty() && found.total == 0)
    out = "No tool was found. ";
  else if (found.fit == msg::search_fit::poor)
    out = "No tool has most of what was asked for: these are the nearest. Other words, or the name of a server, may "
          "find a better one. ";
  if (!out.empty() && !found.not_indexed.empty())
    return out + not_indexed(found.not_indexed);
  if (!out.empty())
    out.pop_back();
  return out;
}

} // namespace proxy
