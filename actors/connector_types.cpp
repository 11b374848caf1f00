// What tools give, where they do not say it themselves.
#include "actors/connector.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

bool declares_output(const msg::tool_info& tool) {
  auto* definition = tool.definition.value().if_object();
  return definition && definition->contains("outputSchema");
}

} // namespace

caf::result<msg::outcome<msg::tool_info>> connector_state::describe(const msg::tool_ref& ref, const msg::tool_filter& allowed) {
  using answer = msg::outcome<msg::tool_info>;
  auto promise = reply_promise<answer>{self_};
  auto failed = [promise](caf::error&) mutable { promise.deliver(answer{fault{errc::internal, "the connector did not answer"}}); };
  auto add_observed = [this, promise, run = ref.run](answer& tool) mutable {
    if (auto* s = tool.ok() ? find(tool.value.server, run) : nullptr; s && s->listed) // else the catalog has said it
      tool.value.needs_own_name = !names_of(run).table.is_found_by_aliases(s->entry.name) || !s->names.is_found_by_aliases(tool.value.name);
    if (!tool.ok() || declares_output(tool.value)) {
      promise.deliver(std::move(tool));
      return;
    }
    auto shared = std::make_shared<answer>(std::move(tool));
    self_->request(options_.catalog, catalog_timeout, msg::observed_atom::value, msg::tool_ref{"", shared->value.server, shared->value.name})
      .then(
        [promise, shared](msg::outcome<msg::document>& schema) mutable {
          shared->value.observed = std::move(schema.value);
          promise.deliver(std::move(*shared));
        },
        [promise, shared](caf::error&) mutable { promise.deliver(std::move(*shared)); });
  };
  self_->request(msg::connector_actor{self_}, start_timeout, msg::resolve_atom::value, ref, allowed).then(add_observed, failed);
  return promise;
}

/// Of a tool that says itself what it gives, nothing needs to be learned.
void connector_state::observe(const msg::tool_ref& tool, msg::document& result) {
  auto* s = find(tool.server, tool.run);
  auto named = [&](auto& t) { return t.name == tool.tool; };
  auto found = s ? std::find_if(s->tools.begin(), s->tools.end(), named) : msg::tool_list::iterator{};
  if (s && found != s->tools.end() && !declares_output(*found))
    self_->send(options_.catalog, msg::observe_atom::value, tool, std::move(result));
}

} // namespace actors
