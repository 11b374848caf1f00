// Which of a server's tools may be used: the catalog holds every list against what was approved. Until it has answered, the
// list before counts.
#include "actors/connector.hpp"
#include "catalog/pinning/approvals.hpp"
#include "mcp/tool_page.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;
using tool_outcome = msg::outcome<msg::tool_info>;
using held_names = msg::outcome<std::vector<std::string>>;

namespace {

fault not_looked_at(const std::string& server) {
  return fault{errc::internal, "the tools of server '" + server + "' could not be looked at"}.at(server);
}

proxy::name_table names_in(const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (auto& t : tools)
    names.push_back(t.name);
  return proxy::name_table{names};
}

/// Of the list, in its order.
std::vector<std::string> held_of(const msg::tool_list& list, const msg::reviewed_tools& reviewed) {
  std::vector<std::string> held;
  if (reviewed.held == 0)
    return held;
  std::unordered_set<std::string_view> usable;
  for (auto& tool : reviewed.tools)
    usable.insert(tool.name);
  for (auto& tool : list)
    if (!usable.contains(tool.name))
      held.push_back(tool.name);
  return held;
}

} // namespace

bool connector_state::server::is_settled(const std::string& tool) const {
  auto which = names.find(tool);
  return which < 0 ? unreviewed_tools.empty() : tools[static_cast<size_t>(which)].changed.empty();
}

bool connector_state::server::holds(const std::string& tool) const {
  auto which = names.find(tool);
  if (unreviewed_tools.empty() || (which >= 0 && tools[static_cast<size_t>(which)].name == tool))
    return false;
  return std::any_of(unreviewed_tools.begin(), unreviewed_tools.end(), [&](auto& t) { return t.name == tool; });
}

/// The user has approved it since the list was reviewed, or not.
void connector_state::server::update(const msg::tool_info& tool) {
  auto same = std::find_if(tools.begin(), tools.end(), [&](auto& t) { return t.name == tool.name; });
  if (same != tools.end()) {
    same->changed = tool.changed;
    return;
  }
  tools.push_back(tool);
  names = names_in(tools);
}

void connector_state::server::take(pending_review& from) {
  tools = std::move(from.reviewed.tools);
  unreviewed_tools = std::move(from.list);
  names = std::move(from.names);
  listed = true;
  review = from.number;
}

/// Null: none is any more.
connector_state::server* connector_state::configured_as(const msg::server_entry& entry) {
  if (auto* s = find(entry.name); s && is_same_server(s->entry, entry))
    return s;
  auto found = std::find_if(retired_.rbegin(), retired_.rend(), [&](auto& s) { return is_same_server(s.entry, entry); });
  return found == retired_.rend() ? nullptr : &*found;
}

std::shared_ptr<connector_state::pending_review> connector_state::review_of(const server& s) const {
  auto found = std::find_if(reviews_.rbegin(), reviews_.rend(), [&](auto& r) { return is_same_server(r->entry, s.entry); });
  return found == reviews_.rend() ? nullptr : *found;
}

/// The server's word for a new list: it hears which of its tools may not be called.
caf::result<held_names> connector_state::tools_listed(const std::string& name, msg::tool_list& tools) {
  auto* s = of_sender(name);
  if (!s)
    return held_names{fault{errc::unknown_server, "server '" + name + "' is not configured any more"}.at(name)};
  auto promise = reply_promise<held_names>{self_};
  auto pending = review(*s, std::move(tools));
  pending->then.emplace_back([name, promise, review = std::weak_ptr{pending}]() mutable {
    auto done = review.lock();
    promise.deliver(done && !done->is_lost ? held_names{std::move(done->held)} : held_names{not_looked_at(name)});
  });
  return promise;
}

std::shared_ptr<connector_state::pending_review> connector_state::review(const server& s, msg::tool_list tools) {
  auto pending = std::make_shared<pending_review>();
  pending->number = ++review_number_;
  pending->entry = s.entry;
  pending->list = std::move(tools);
  reviews_.push_back(pending);
  self_->request(options_.catalog, review_timeout, msg::tools_atom::value, s.entry, pending->list)
    .then(
      [this, pending](msg::outcome<msg::reviewed_tools>& reviewed) {
        pending->is_lost = !reviewed.ok();
        if (pending->is_lost)
          return end_review(pending);
        pending->held = held_of(pending->list, reviewed.value);
        if (pending->held.empty())
          pending->list.clear(); // what it held is in the other list
        pending->reviewed = std::move(reviewed.value);
        put_in_order(pending);
      },
      [this, pending](caf::error&) {
        bool is_taken = configured_as(pending->entry) && !watches_changes();
        pending->is_lost = !is_taken;
        if (!stopping_)
          spdlog::error("server '{}': its tools could not be held against what was approved; {}", pending->entry.name,
                        is_taken ? "they are used all the same" : "what was known of them before counts");
        if (!is_taken)
          return end_review(pending);
        pending->reviewed.tools = std::exchange(pending->list, {});
        put_in_order(pending);
      });
  return pending;
}

/// So that they are found by name; of a long list on another thread.
void connector_state::put_in_order(const std::shared_ptr<pending_review>& pending) {
  if (!options_.offload || !mcp::is_long(pending->reviewed.tools)) {
    pending->names = names_in(pending->reviewed.tools);
    return in_order(pending->number, {});
  }
  auto work = [pending] { pending->names = names_in(pending->reviewed.tools); };
  auto me = caf::actor_cast<msg::connector_actor>(self_);
  options_.offload(std::move(work),
                   [me, number = pending->number](fault problem) { caf::anon_send(me, msg::checked_atom::value, number, std::move(problem)); });
}

void connector_state::in_order(uint64_t number, const fault& problem) {
  auto found = std::find_if(reviews_.begin(), reviews_.end(), [&](auto& r) { return r->number == number; });
  if (found == reviews_.end())
    return;
  auto pending = *found;
  pending->is_lost = pending->is_lost || problem.code != errc::none;
  if (auto* now = configured_as(pending->entry); now && !pending->is_lost && now->review < number) { // a longer list takes longer
    if (mcp::is_long(now->tools))
      destroy_there(options_.offload, std::make_tuple(std::move(now->tools), std::move(now->unreviewed_tools), std::move(now->names)));
    now->take(*pending);
  }
  end_review(pending);
}

void connector_state::end_review(const std::shared_ptr<pending_review>& pending) {
  std::erase(reviews_, pending);
  for (auto& then : std::exchange(pending->then, {}))
    then();
}

/// Without the catalog, which could say why a tool is held.
tool_outcome connector_state::resolve_listed(const server& s, const std::string& tool, const msg::tool_filter& allowed) const {
  auto found = resolve_tool(s, tool, allowed);
  if (found.error.code != errc::unknown_tool
      || std::none_of(s.unreviewed_tools.begin(), s.unreviewed_tools.end(), [&](auto& t) { return t.name == tool; }))
    return found;
  return tool_pinning::held_fault(s.entry.name, tool);
}

/// For a tool that the catalog knows, or that may have been approved meanwhile.
void connector_state::ask_and_resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise) {
  auto without_catalog = [this, promise, ref, allowed]() mutable {
    if (auto* s = find(ref.server, ref.run); s && s->listed)
      promise.deliver(resolve_listed(*s, ref.tool, allowed));
    else
      read_and_resolve(ref, allowed, std::move(promise));
  };
  self_->request(options_.catalog, catalog_timeout, msg::resolve_atom::value, ref, allowed)
    .then(
      [this, promise, ref, without_catalog](tool_outcome& known) mutable {
        if (auto* s = find(ref.server, ref.run); s && s->listed && s->until == 0 && known.ok())
          s->update(known.value);
        if (known.ok() || known.error.code == errc::not_allowed || known.error.code == errc::tool_changed)
          promise.deliver(std::move(known));
        else
          without_catalog();
      },
      [without_catalog](caf::error&) mutable { without_catalog(); });
}

/// When the list of its server has been reviewed, or could not be.
void connector_state::resolve_reviewed(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise) {
  auto* s = find(ref.server, ref.run);
  if (!s)
    promise.deliver(tool_outcome{unknown_server(ref.server, ref.run, allowed)});
  else if (!s->listed)
    promise.deliver(tool_outcome{not_looked_at(ref.server).at(ref.server, ref.tool)});
  else if (s->is_settled(ref.tool) || s->until > 0)
    promise.deliver(resolve_listed(*s, ref.tool, allowed));
  else
    ask_and_resolve(ref, allowed, std::move(promise));
}

/// For a tool that the catalog does not know: it may be new. One reading of the list answers all who wait for it.
void connector_state::read_and_resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise) {
  auto* found = find(ref.server, ref.run);
  if (!found) {
    promise.deliver(tool_outcome{unknown_server(ref.server, ref.run, allowed)});
    return;
  }
  auto resolve = [this, ref, allowed, promise](const fault& why) mutable {
    if (why.code != errc::none)
      promise.deliver(tool_outcome{fault{why}.at(ref.server, ref.tool)});
    else if (auto* s = find(ref.server, ref.run); auto pending = s ? review_of(*s) : nullptr)
      pending->then.emplace_back([this, ref, allowed, promise] { resolve_reviewed(ref, allowed, promise); });
    else
      resolve_reviewed(ref, allowed, promise);
  };
  if (auto readers = found->readers.lock())
    return readers->push_back(std::move(resolve));
  auto readers = std::make_shared<list_readers>(1, std::move(resolve));
  found->readers = readers;
  read_list(ref, readers);
}

void connector_state::read_list(const msg::tool_ref& ref, const std::shared_ptr<list_readers>& readers) {
  auto tell = [readers](const fault& why) {
    for (auto& reader : std::exchange(*readers, {}))
      reader(why);
  };
  auto* found = find(ref.server, ref.run);
  with_server_slot(*found, [this, server = ref.server, run = ref.run, tell](const fault& why) {
    auto* s = find(server, run);
    if (!s || why.code != errc::none)
      return tell(s ? why : unknown_server(server, run));
    self_->request(actor_of(*s), start_timeout, msg::tools_atom::value)
      .then(
        [this, server, run, tell](msg::outcome<msg::tool_list>& tools) {
          auto* entry = find(server, run);
          if (tools.ok() && entry && !entry->listed && !review_of(*entry)) // our own copy of the list may still be on its way
            review(*entry, std::move(tools.value));
          if (entry)
            entry->readers = {};
          tell(tools.error);
        },
        [this, server, run, tell](caf::error&) {
          if (auto* entry = find(server, run))
            entry->readers = {};
          tell(fault{errc::server_start_failed, "server '" + server + "' did not start"});
        });
  });
}

} // namespace actors
