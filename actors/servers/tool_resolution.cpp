#include "actors/servers/tool_resolution.hpp"

#include <utility>

namespace servers {

using msg::errc;
using msg::fault;
using tool_outcome = msg::outcome<msg::tool_info>;

namespace {

/// Whether the last list of a server that runs has nothing for that name. The server may have announced another list:
/// programs that switch tools on call them at once, so that is found out before they are refused.
bool is_missing(const server& s, const std::string& tool) {
  return s.listed && s.has_slot && (s.usable.holds(tool) || s.usable.names.find(tool) < 0);
}

} // namespace

tool_resolution::tool_resolution(generations& all, const tool_names& names, tool_reviews& reviews,
                                 resolution_routes routes)
  : all_(all),
    names_(names),
    reviews_(reviews),
    routes_(std::move(routes)) {}

first_look tool_resolution::look(const msg::tool_ref& written, const msg::tool_filter& allowed) const {
  first_look l;
  auto end = [&l](fault why) {
    l.why = std::move(why);
    l.is_known = true;
    return std::move(l);
  };
  auto located = names_.locate(written, allowed);
  if (!located.ok())
    return end(std::move(located.error));
  l.ref = std::move(located.value);
  auto* s = all_.find(l.ref.server, l.ref.run);
  if (!s)
    return end(names_.unknown_server(l.ref.server, l.ref.run, allowed));
  if (l.ref.method != msg::child_method::call_tool) {
    l.ref.tool = to_string(l.ref.method);
    return end(names_.refusal(allowed, l.ref.server, l.ref.tool));
  }
  if (auto why = names_.refusal_of_all(allowed, l.ref.server, l.ref.tool); why.code != errc::none)
    return end(std::move(why));
  if (is_over_)
    return end({errc::shutting_down, "the server is being stopped"});
  // Of one that is retired, the catalog knows another one.
  bool is_listed = s->listed && (s->usable.is_settled(l.ref.tool) || s->is_retired());
  // What the server has told counts from then on.
  if (!is_listed || reviews_.of(*s) || is_missing(*s, l.ref.tool))
    return l;
  auto found = names_.find(*s, l.ref, allowed); // the call itself will start it again if it is down
  l.tool = found.value;
  return end(std::move(found.error));
}

msg::server_start tool_resolution::meant_by(const msg::tool_ref& written) const {
  auto located = names_.locate(written, {});
  if (!located.ok())
    return {};
  msg::server_start meant{std::move(located.value.server), 0, {}, 0, std::move(located.value.tool)};
  if (written.method != msg::child_method::call_tool)
    meant.tool = to_string(written.method);
  else if (auto* s = all_.find(meant.server, written.run);
           s && !s->usable.holds(meant.tool) && s->usable.names.find(meant.tool) >= 0)
    meant.tool = (*s->usable.tools)[static_cast<size_t>(s->usable.names.find(meant.tool))].name;
  return meant;
}

void tool_resolution::ask(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then) {
  auto* s = all_.find(ref.server, ref.run);
  if (auto review = s ? reviews_.of(*s) : nullptr)
    review->then.emplace_back([this, ref, allowed, then = std::move(then)] {
      auto* now = all_.find(ref.server, ref.run);
      now&& is_missing(*now, ref.tool) ? catch_up(*now, ref, allowed, then) : when_reviewed(ref, allowed, then);
    });
  else if (s && is_missing(*s, ref.tool))
    catch_up(*s, ref, allowed, std::move(then));
  else if (s && s->is_retired())
    read_list(ref, allowed, std::move(then));
  else
    ask_catalog(ref, allowed, std::move(then));
}

void tool_resolution::find_listed(const server& s, const msg::tool_ref& ref, const msg::tool_filter& allowed,
                                  const answer_to& then) const {
  auto found = names_.find(s, ref, allowed);
  then(found.ok() ? tool_outcome{*found.value} : tool_outcome{std::move(found.error)});
}

/// For a tool that the catalog knows, or that may have been approved meanwhile.
void tool_resolution::ask_catalog(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then) {
  routes_.ask_catalog(ref, allowed, [this, ref, allowed, then = std::move(then)](std::optional<tool_outcome> known) {
    auto* s = all_.find(ref.server, ref.run);
    bool is_listed = s && s->listed;
    if (known && known->ok() && is_listed && !s->is_retired())
      s->usable.update(known->value);
    // A tool that was held when the server was looked at last may be as it was approved again.
    bool is_held = known && known->error.code == errc::tool_changed && (is_listed || !s);
    if (known && (known->ok() || known->error.code == errc::not_allowed || is_held))
      then(std::move(*known));
    else if (is_listed)
      find_listed(*s, ref, allowed, then);
    else
      read_list(ref, allowed, then);
  });
}

/// What the list says then is the answer, whatever is announced next.
void tool_resolution::catch_up(server& s, const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then) {
  routes_.catch_up(s, [this, ref, allowed, then = std::move(then)] {
    auto* now = all_.find(ref.server, ref.run);
    if (auto review = now ? reviews_.of(*now) : nullptr)
      review->then.emplace_back([this, ref, allowed, then] { when_reviewed(ref, allowed, then); });
    else
      when_reviewed(ref, allowed, then);
  });
}

/// When the list of its server has been reviewed, or could not be.
void tool_resolution::when_reviewed(const msg::tool_ref& ref, const msg::tool_filter& allowed, const answer_to& then) {
  auto* s = all_.find(ref.server, ref.run);
  if (!s)
    then(names_.unknown_server(ref.server, ref.run, allowed));
  else if (!s->listed)
    then(fault{errc::internal, "the tools of server '" + ref.server + "' could not be looked at"}.at(ref.server,
                                                                                                     ref.tool));
  else if (s->usable.is_settled(ref.tool) || s->is_retired())
    find_listed(*s, ref, allowed, then);
  else
    ask_catalog(ref, allowed, then);
}

/// For a tool that the catalog does not know: it may be new. One reading of the list answers all that wait for it.
void tool_resolution::read_list(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then) {
  auto* s = all_.find(ref.server, ref.run);
  if (!s)
    return then(names_.unknown_server(ref.server, ref.run, allowed));
  auto has_read = [this, ref, allowed, then = std::move(then)](const fault& why) {
    auto* now = all_.find(ref.server, ref.run);
    if (why.code != errc::none)
      then(fault{why}.at(ref.server, ref.tool));
    else if (auto review = now ? reviews_.of(*now) : nullptr)
      review->then.emplace_back([this, ref, allowed, then] { when_reviewed(ref, allowed, then); });
    else
      when_reviewed(ref, allowed, then);
  };
  if (auto others = s->readers.lock())
    return others->push_back(std::move(has_read));
  auto readers = std::make_shared<list_readers>(1, std::move(has_read));
  s->readers = readers;
  routes_.list_tools(
    *s, ref.run,
    [this, server = ref.server, run = ref.run, readers](std::optional<msg::outcome<msg::listed_tools>> told) {
      auto* now = all_.find(server, run);
      auto why =
        told ? std::move(told->error) : fault{errc::server_start_failed, "server '" + server + "' did not start"};
      // What the server itself tells us may still be on its way.
      if (now && why.code == errc::none && !now->listed && !reviews_.of(*now))
        reviews_.begin(*now, std::move(told->value));
      if (now)
        now->readers = {};
      for (auto& reader : std::exchange(*readers, {}))
        reader(why);
    });
}

} // namespace servers
