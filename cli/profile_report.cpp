#include "cli/profile_report.hpp"

#include "mcp/fields.hpp"
#include "proxy/names.hpp"
#include "sampling/token_estimate.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

/// Names that a list of the text has; --json has all.
constexpr size_t names_listed_max = 20;

const tool_usage* usage_of(const profile_report& report, const std::string& server, const std::string& tool) {
  auto found = report.usage.tools.find({server, tool});
  return found == report.usage.tools.end() ? nullptr : &found->second;
}

/// Of all tools that were called there, also of those that it does not have any more.
tool_usage usage_of(const profile_report& report, const std::string& server) {
  tool_usage out;
  for (auto& [name, usage] : report.usage.tools)
    if (name.first == server)
      out.add(usage);
  return out;
}

/// Whole names; nothing where there is no record to tell.
std::vector<std::string> never_used(const profile_report& report, const profiled_server& server) {
  std::vector<std::string> out;
  for (auto& tool : server.tools)
    if (report.usage.exists && !usage_of(report, server.name, tool.name))
      out.push_back(proxy::full_name(server.name, tool.name));
  return out;
}

/// Raw names that several servers have, with these.
std::map<std::string, std::vector<std::string>> collisions(const profile_report& report) {
  std::map<std::string, std::vector<std::string>> out;
  for (auto& server : report.servers)
    for (auto& tool : server.tools)
      if (auto& on = out[tool.name]; on.empty() || on.back() != server.name)
        on.push_back(server.name);
  std::erase_if(out, [](auto& one) { return one.second.size() < 2; });
  return out;
}

json::value ms_value(std::optional<double> ms) {
  return ms ? json::value(std::round(*ms * 1'000) / 1'000) : json::value{};
}

std::string ms_text(std::optional<double> ms) { return ms ? text::number_text(std::round(*ms * 10) / 10) : "-"; }

json::object usage_doc(const tool_usage& usage) {
  return {{"calls", usage.calls},
          {"failures", usage.failures},
          {"invalidCalls", usage.invalid},
          {"p50Ms", ms_value(usage.percentile_ms(0.5))},
          {"p99Ms", ms_value(usage.percentile_ms(0.99))}};
}

json::object server_doc(const profile_report& report, const profiled_server& server) {
  json::object out{{"name", server.name}};
  if (!server.error.empty())
    out.emplace("error", server.error);
  out.emplace("toolCount", server.tools.size());
  out.emplace("tokens", server.tokens());
  for (auto& [key, value] : usage_doc(usage_of(report, server.name)))
    out.emplace(key, value);
  json::array tools;
  for (auto& tool : server.tools) {
    json::object one{{"name", tool.name}, {"tokens", tool.tokens}};
    auto* usage = usage_of(report, server.name, tool.name);
    for (auto& [key, value] : usage_doc(usage ? *usage : tool_usage{}))
      one.emplace(key, value);
    tools.push_back(std::move(one));
  }
  out.emplace("tools", std::move(tools));
  auto unused = never_used(report, server);
  out.emplace("neverUsed",
              report.usage.exists ? json::value(json::array(unused.begin(), unused.end())) : json::value{});
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), names_listed_max); ++i)
    out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > names_listed_max)
    out += " and " + std::to_string(names.size() - names_listed_max) + " more (--json has all)";
  return text::printable(out);
}

using row = std::array<std::string, 8>;

row row_of(const profile_report& report, const profiled_server& server) {
  auto usage = usage_of(report, server.name);
  return {text::printable(server.name),
          server.error.empty() ? std::to_string(server.tools.size()) : "?",
          server.error.empty() ? std::to_string(server.tokens()) : "?",
          report.usage.exists ? std::to_string(usage.calls) : "?",
          report.usage.exists && server.error.empty() ? std::to_string(never_used(report, server).size()) : "?",
          ms_text(usage.percentile_ms(0.5)),
          ms_text(usage.percentile_ms(0.99)),
          report.usage.exists ? std::to_string(usage.invalid) : "?"};
}

/// The first column to the left, numbers to the right.
std::string aligned(const std::vector<row>& rows) {
  std::array<size_t, std::tuple_size_v<row>> widths{};
  for (auto& one : rows)
    for (size_t i = 0; i < one.size(); ++i)
      widths[i] = std::max(widths[i], one[i].size());
  std::string out;
  for (auto& one : rows) {
    out += one[0] + std::string(widths[0] - one[0].size(), ' ');
    for (size_t i = 1; i < one.size(); ++i)
      out += "  " + std::string(widths[i] - one[i].size(), ' ') + one[i];
    out += "\n";
  }
  return out;
}

/// Tools with calls whose arguments did not fit, the most first.
std::vector<std::string> invalid_calls(const profile_report& report) {
  std::vector<std::pair<uint64_t, std::string>> found;
  for (auto& [name, usage] : report.usage.tools)
    if (usage.invalid > 0)
      found.emplace_back(usage.invalid, proxy::full_name(name.first, name.second));
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> out;
  out.reserve(found.size());
  for (auto& [count, name] : found)
    out.push_back(name + " (" + std::to_string(count) + ")");
  return out;
}

} // namespace

uint64_t profiled_server::tokens() const {
  uint64_t sum = 0;
  for (auto& tool : tools)
    sum += tool.tokens;
  return sum;
}

uint64_t tokens_of(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  auto* schema = definition ? definition->if_contains("inputSchema") : nullptr;
  msg::offered_tool offered;
  offered.name = proxy::full_name(tool.server, tool.name);
  offered.description = mcp::string_in(definition, "description");
  offered.input_schema = schema ? tool.definition.part(*schema) : msg::document{};
  msg::model_request listing;
  listing.tools.push_back(std::move(offered));
  return uint64_t{sampling::estimated_input(listing)} + sampling::estimated_tokens(listing.tools[0].name);
}

json::object as_document(const profile_report& report) {
  json::array servers, on_several;
  uint64_t tools = 0, tokens = 0;
  for (auto& server : report.servers) {
    tools += server.tools.size();
    tokens += server.tokens();
    servers.push_back(server_doc(report, server));
  }
  for (auto& [name, on] : collisions(report))
    on_several.push_back(json::object{{"name", name}, {"servers", json::array(on.begin(), on.end())}});
  return {{"servers", std::move(servers)},
          {"toolCount", tools},
          {"tokens", tokens},
          {"collisions", std::move(on_several)},
          {"recordSince", report.usage.since.empty() ? json::value{} : json::value(report.usage.since)}};
}

std::string as_text(const profile_report& report) {
  std::vector<row> rows{{"server", "tools", "tokens", "calls", "never used", "p50 ms", "p99 ms", "invalid calls"}};
  uint64_t tools = 0, tokens = 0;
  std::vector<std::string> unused;
  for (auto& server : report.servers) {
    rows.push_back(row_of(report, server));
    tools += server.tools.size();
    tokens += server.tokens();
    for (auto& name : never_used(report, server))
      unused.push_back(std::move(name));
  }
  auto out = aligned(rows) + std::to_string(tools) + " tools; about " + std::to_string(tokens)
             + " tokens in each conversation if a client listed them all\n";
  for (auto& [name, on] : collisions(report))
    out += "on several servers: " + text::printable(name) + " (" + listed(on) + ")\n";
  if (auto invalid = invalid_calls(report); !invalid.empty())
    out += "calls that did not fit the schema: " + listed(invalid) + "\n";
  if (!unused.empty())
    out += "never used: " + listed(unused) + "\n";
  out += !report.usage.exists         ? "there is no record of calls (docs/audit.md), so nobody knows what was used\n"
         : report.usage.since.empty() ? "the record has no calls\n"
                                      : "calls since " + text::printable(report.usage.since) + "\n";
  for (auto& server : report.servers)
    if (!server.error.empty())
      out += text::printable(server.name + ": " + server.error) + "\n";
  return out;
}

} // namespace cli
