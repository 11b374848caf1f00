#include "proxy/surface/discovery_results.hpp"

#include "proxy/listed_servers.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/tool_docs.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace surface {

namespace json = boost::json;

namespace {

json::array names_doc(const std::vector<std::string>& names) { return json::array(names.begin(), names.end()); }

/// Where a server comes from, and how it is if it does not just wait.
json::object source_doc(const msg::server_status& s) {
  json::object doc{{"file", s.source}, {"client", s.client}, {"state", to_string(s.state)}};
  if (s.disabled)
    doc["disabled"] = true;
  if (!s.shadows.empty())
    doc["shadows"] = proxy::first_of(s.shadows, proxy::listed_shadows_max, "files");
  if (s.breaker != msg::breaker_state::closed)
    doc["breaker"] = to_string(s.breaker);
  if (s.retry_after_ms > 0)
    doc["retryAfterMs"] = s.retry_after_ms;
  if (!s.last_error.empty())
    doc["lastError"] = proxy::problem_text(s.last_error);
  return doc;
}

} // namespace

json::object search_result(const search_arguments& asked, const msg::outcome<msg::tool_matches>& found) {
  if (!found.ok())
    return error_result(found.error);
  json::object doc{{"tools", proxy::search_entries(found.value, asked.detail)},
                   {"total", found.value.total},
                   {"query", asked.query.text}};
  if (!found.value.connected.empty())
    doc["lazyLoaded"] = names_doc(found.value.connected);
  if (auto hint = proxy::search_hint(found.value); !hint.empty())
    doc["hint"] = hint;
  json::array problems;
  for (auto& f : found.value.failures)
    problems.push_back(json::string{f.message});
  if (!problems.empty())
    doc["errors"] = std::move(problems);
  return document_result(std::move(doc));
}

json::object signature_result(const msg::outcome<msg::tool_info>& tool) {
  return tool.ok() ? document_result(proxy::signature_answer(tool.value)) : error_result(tool.error);
}

json::object servers_result(const std::vector<msg::server_status>& servers, const std::vector<std::string>& problems) {
  auto doc = proxy::servers_doc(servers);
  json::object sources;
  for (auto* s : proxy::listed(servers).told)
    sources[s->name] = source_doc(*s);
  doc["sources"] = std::move(sources);
  if (!problems.empty())
    doc["problems"] = proxy::first_of(problems, proxy::listed_problems_max, "problems");
  return document_result(std::move(doc));
}

} // namespace surface
