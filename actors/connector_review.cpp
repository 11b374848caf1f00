// Which of a server's tools may be used: the catalog holds every list against what was approved. Until it has answered, the
// list before counts.
#include "actors/connector.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

bool connector_state::server::is_settled(const std::string& tool) const {
  auto which = names.find(tool);
  return which < 0 ? told.empty() : tools[static_cast<size_t>(which)].changed.empty();
}

/// Somebody has approved it since the list was reviewed, or not.
void connector_state::server::update(const msg::tool_info& tool) {
  auto same = std::find_if(tools.begin(), tools.end(), [&](auto& t) { return t.name == tool.name; });
  if (same != tools.end()) {
    same->changed = tool.changed;
    return;
  }
  tools.push_back(tool);
  std::vector<std::string_view> all;
  for (auto& t : tools)
    all.push_back(t.name);
  names = proxy::name_table{all};
}

void connector_state::review(const std::string& name, msg::tool_list tools) {
  if (auto* s = find(name))
    ++s->reviews;
  self_->request(catalog_, review_timeout, msg::tools_atom::value, name, tools)
    .then(
      [this, name, tools](msg::outcome<msg::reviewed_tools>& answer) mutable {
        if (auto* s = find(name); s && answer.ok())
          s->take(std::move(answer.value), std::move(tools));
        reviewed(name);
      },
      [this, name](caf::error&) {
        spdlog::error("server '{}': its tools could not be looked at; what was known of them before counts", name);
        reviewed(name);
      });
}

void connector_state::reviewed(const std::string& name) {
  auto* s = find(name);
  if (!s || --s->reviews > 0)
    return;
  for (auto& then : std::exchange(s->after_review, {}))
    then();
}

/// For a tool that the catalog knows, or that may have been approved meanwhile.
void connector_state::ask_and_resolve(const std::string& name, const std::string& tool, const msg::tool_filter& allowed, resolve_promise promise) {
  using answer = msg::outcome<msg::tool_info>;
  auto without_catalog = [this, promise, name, tool, allowed]() mutable {
    auto* s = find(name);
    if (!s)
      promise.deliver(answer{unknown_server(name)});
    else if (s->listed)
      promise.deliver(resolve_tool(*s, tool, allowed));
    else
      read_and_resolve(name, tool, allowed, std::move(promise));
  };
  self_->request(catalog_, catalog_timeout, msg::resolve_atom::value, msg::tool_ref{"", name, tool}, allowed)
    .then(
      [this, promise, name, without_catalog](answer& known) mutable {
        if (auto* s = find(name); s && s->listed && known.ok())
          s->update(known.value);
        if (known.ok() || known.error.code == errc::not_allowed || known.error.code == errc::tool_changed)
          promise.deliver(std::move(known));
        else
          without_catalog();
      },
      [without_catalog](caf::error&) mutable { without_catalog(); });
}

/// For a tool that the catalog does not know: it may be new.
void connector_state::read_and_resolve(const std::string& name, const std::string& tool, const msg::tool_filter& allowed, resolve_promise promise) {
  using answer = msg::outcome<msg::tool_info>;
  auto resolve_now = [this, name, tool, allowed, promise]() mutable {
    auto* s = find(name);
    if (!s || !s->listed)
      promise.deliver(answer{fault{errc::internal, "the tools of server '" + name + "' could not be looked at"}.at(name, tool)});
    else if (s->is_settled(tool))
      promise.deliver(resolve_tool(*s, tool, allowed));
    else
      ask_and_resolve(name, tool, allowed, std::move(promise));
  };
  self_->request(actor_of(*find(name)), start_timeout, msg::tools_atom::value)
    .then(
      [this, promise, name, tool, resolve_now](msg::outcome<msg::tool_list>& tools) mutable {
        if (!tools.ok()) {
          promise.deliver(answer{std::move(tools.error).at(name, tool)});
          return;
        }
        if (auto* s = find(name); s && !s->listed && s->reviews == 0) // our own copy of the list may still be on its way
          review(name, std::move(tools.value));
        if (auto* s = find(name); s && s->reviews > 0)
          s->after_review.emplace_back(resolve_now);
        else
          resolve_now();
      },
      [promise, name, tool](caf::error&) mutable {
        promise.deliver(answer{fault{errc::server_start_failed, "server '" + name + "' did not start"}.at(name, tool)});
      });
}

} // namespace actors
