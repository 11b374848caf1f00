#include "proxy/discovery.hpp"

#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <utility>

namespace proxy {

using msg::catalog_operation;

namespace {

bool may_use(const msg::tool_filter& filter, std::string_view server, std::string_view tool) {
  return tool.empty() ? allows_some(filter, server) : allows(filter, full_name(server, tool));
}

} // namespace

discovery::discovery(std::string state_folder, const std::vector<msg::server_entry>& servers, catalog::changed_tools rule)
  : tools_(std::move(state_folder), servers, may_use, rule) {}

msg::outcome<msg::tool_info> discovery::resolve(const msg::catalog_request& r) {
  auto found = tools_.find(r.server, [&](auto& names) { return proxy::resolve(r.tool, names); });
  if (found.ok() && !allows(r.allowed, full_name(r.server, found.value.name)))
    return refusal(r.server, found.value.name);
  return found;
}

msg::catalog_answer discovery::answer(const msg::catalog_request& r) {
  msg::catalog_answer out;
  switch (r.operation) {
    case catalog_operation::update: out.reviewed = tools_.update(r.server, r.tools); break;
    case catalog_operation::search: out.found = tools_.search(r.query); break;
    case catalog_operation::resolve: {
      auto tool = resolve(r);
      out.tool = std::move(tool.value);
      out.error = std::move(tool.error);
      break;
    }
    case catalog_operation::servers: out.servers = tools_.servers(); break;
    case catalog_operation::observed: out.schema = learned_.schema_of(tools_, r.server, r.tool); break;
    case catalog_operation::observe: out.error = learned_.learn(tools_, r.server, r.tool, r.value); break;
    case catalog_operation::save: out.error = tools_.save(); break;
  }
  return out;
}

} // namespace proxy
