#include "cli/markdown.hpp"
#include "cli/reference_parts.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/surface.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace cli {

namespace json = boost::json;
using surface::tool_kind;

namespace {

json::array listed_tools(surface::shown_tools shown) {
  surface::list_view view;
  view.shown = shown;
  view.runtimes = {true, true};
  return surface::tool_list(view).at("tools").as_array();
}

std::string surfaces_of(std::string_view name) {
  using surface::shown_tools;
  constexpr std::pair<shown_tools, const char*> surfaces[]{{shown_tools::code, "`code`"},
                                                           {shown_tools::discovery, "`discovery`"},
                                                           {shown_tools::bridge, "`bridge`"},
                                                           {shown_tools::all, "`all`"}};
  std::string out;
  for (auto& [shown, title] : surfaces)
    for (auto& each : listed_tools(shown))
      if (each.at("name").as_string() == name)
        out += (out.empty() ? "" : ", ") + std::string{title};
  return out;
}

/// What the reader of its arguments knows: it says so when it is given what it does not know.
std::string known_parameters(const surface::tool& tool) {
  constexpr std::string_view unknown = "?", before = "Known: ";
  json::object given{{unknown, true}};
  if (tool.kind == tool_kind::run)
    given["code"] = "1";
  if (tool.kind == tool_kind::search_tools)
    given["query"] = "1";
  if (tool.kind == tool_kind::get_tool_signature)
    given.insert({{"server", "1"}, {"tool", "1"}});
  surface::run_limits limits;
  limits.check_faults = [](const msg::document&) { return std::string{}; };
  auto said = tool.kind == tool_kind::run                  ? surface::parse_run(tool, given, limits).error
              : tool.kind == tool_kind::search_tools       ? surface::parse_search(given).error
              : tool.kind == tool_kind::get_tool_signature ? surface::parse_signature(given).error
                                                           : surface::parse_nothing(given).error;
  auto at = said.message.find(before);
  return at == said.message.npos ? std::string{"none"} : said.message.substr(at + before.size());
}

/// `an integer from 1 to 100, 10 if not given`, or as much of that as its schema says.
std::string told_schema(const json::object& schema) {
  auto* type = schema.if_contains("type");
  auto out = type ? std::string{type->as_string()} : std::string{};
  if (auto* names = schema.if_contains("enum"))
    for (auto& name : names->as_array())
      out += (&name == names->as_array().data() ? (out.empty() ? "" : ": ") : ", ") + markdown_code(name.as_string());
  if (schema.contains("minimum"))
    out += " from " + text::to_text(schema.at("minimum"));
  if (schema.contains("maximum"))
    out += " to " + text::to_text(schema.at("maximum"));
  if (schema.contains("default"))
    out += ", " + text::to_text(schema.at("default")) + " if not given";
  if (auto* about = schema.if_contains("description"))
    out += "; " + markdown_text(about->as_string());
  return out;
}

std::string listed_parameters(const json::object& definition) {
  std::string rows;
  for (auto& [name, schema] : definition.at("inputSchema").as_object().at("properties").as_object())
    rows += markdown_row({markdown_code(name), told_schema(schema.as_object())});
  return rows.empty() ? rows : "\n" + markdown_head({"listed parameter", ""}) + rows;
}

std::string quoted_lines(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    out += (at > 0 ? ">\n" : "") + std::string{"> "} + markdown_text(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

/// The names behind which the same is done: those that follow it, and are not listed.
std::string aliases_of(const surface::tool& tool, const json::array& listed) {
  auto all = surface::every_tool();
  std::string out;
  for (auto* next = &tool + 1; next != all.data() + all.size(); ++next) {
    for (auto& each : listed)
      if (each.at("name").as_string() == next->name)
        return out;
    out += (out.empty() ? "" : ", ") + markdown_code(next->name);
  }
  return out;
}

} // namespace

std::string tools_reference() {
  std::string out = "# Every tool\n\nThe tools of code-executor itself, as a client is told of them. The setting "
                    "`surface` says which are listed; each can be\ncalled in any case. "
                    "[programs.md](../programs.md#tools-and-their-aliases) tells what they are for.\n";
  auto listed = listed_tools(surface::shown_tools::all);
  for (auto& tool : surface::every_tool())
    for (auto& value : listed) {
      auto& definition = value.as_object();
      if (definition.at("name").as_string() != tool.name)
        continue;
      auto aliases = aliases_of(tool, listed);
      out += "\n## " + std::string{tool.name} + "\n\n" + (aliases.empty() ? "" : "Also called " + aliases + ". ")
             + "Listed on " + surfaces_of(tool.name) + ".\n\n" + quoted_lines(definition.at("description").as_string())
             + listed_parameters(definition) + "\nIt takes: " + markdown_text(known_parameters(tool)) + ".\n";
    }
  return out;
}

} // namespace cli
