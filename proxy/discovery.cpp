#include "proxy/discovery.hpp"

#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <utility>

namespace proxy {

using msg::catalog_operation;

namespace {

msg::outcome<msg::tool_info> resolve(catalog::tool_catalog& tools, const msg::catalog_request& r) {
  auto found = tools.find(r.server, [&](auto& names) { return proxy::resolve(r.tool, names); });
  if (found.ok() && !allows(r.allowed, full_name(r.server, found.value.name)))
    return refusal(r.server, found.value.name);
  return found;
}

template <class T>
msg::fault take(msg::outcome<T> from, T& to) {
  to = std::move(from.value);
  return std::move(from.error);
}

} // namespace

catalog::tool_catalog make_catalog(std::string state_folder, const std::vector<msg::server_entry>& servers) {
  auto may_use = [](auto& filter, auto& server, auto tool) {
    return tool.empty() ? allows_some(filter, server) : allows(filter, full_name(server, tool));
  };
  return {std::move(state_folder), servers, may_use};
}

msg::catalog_answer answer(catalog::tool_catalog& tools, const msg::catalog_request& r) {
  msg::catalog_answer out;
  switch (r.operation) {
    case catalog_operation::update: tools.update(r.server, r.tools); break;
    case catalog_operation::search: out.found = tools.search(r.query); break;
    case catalog_operation::resolve: out.error = take(resolve(tools, r), out.tool); break;
    case catalog_operation::servers: out.servers = tools.servers(); break;
    case catalog_operation::observed: out.error = take(tools.observed(r.server, r.tool), out.shape); break;
    case catalog_operation::observe: out.error = tools.observe(r.server, r.tool, r.shape); break;
    case catalog_operation::save: out.error = tools.save(); break;
  }
  return out;
}

} // namespace proxy
