// Tools that are not what was approved: found out for every list, whoever has stored it, and followed while others approve.
#include "catalog/catalog.hpp"
#include "messages/utf8.hpp"

#include <algorithm>
#include <utility>

namespace catalog {

using msg::errc;
using msg::fault;

namespace {

/// In one report; the command names them all.
constexpr size_t reported_tools_max = 5;
constexpr size_t quoted_name_bytes_max = 100;

} // namespace

void tool_catalog::follow_approvals() {
  if (rule_ == changed_tools::unwatched)
    return;
  bool is_other = approvals_.has_changed();
  for (auto& [name, s] : servers_)
    if ((is_other || !s.is_reviewed) && !s.content.empty())
      review_stored(s);
}

/// The list is read only if it is not known to be as it was approved.
void tool_catalog::review_stored(server& s) {
  if (approvals_.is_known(s.entry, s.content))
    return set_changes(s, {});
  auto list = stored_list(s);
  if (list.ok() && digest_of(list.value) == s.content)
    return review(s, list.value);
  s.is_reviewed = false; // another program has replaced it: that will be noticed
  last_permitted_.reset();
}

void tool_catalog::review(server& s, const msg::tool_list& tools) {
  if (approvals_.is_known(s.entry, s.content))
    return set_changes(s, {});
  auto found = approvals_.review(s.entry, s.content, tools);
  if (found.ok())
    set_changes(s, std::move(found.value));
  else
    cannot_review(s, tools, found.error.message);
}

/// What is to be held is held, and else this program remembers for itself.
void tool_catalog::cannot_review(server& s, const msg::tool_list& tools, const std::string& why) {
  if (std::exchange(warned_of_approvals_, why) != why)
    reports_.push_back(
      why
      + (rule_ == changed_tools::held ? "; no tool is used before it can be read what was approved" : "; what is approved is kept in memory only"));
  if (rule_ == changed_tools::marked)
    return set_changes(s, approvals_.review_in_memory(s.entry, tools));
  trust::changes all;
  for (auto& t : tools)
    all.emplace(t.name, "what was approved can not be read (" + why + ")");
  set_changes(s, std::move(all));
  s.is_reviewed = false; // it may go better the next time
}

void tool_catalog::set_changes(server& s, trust::changes changes) {
  if (std::exchange(s.is_reviewed, true) && changes == s.changes)
    return;
  s.changes = std::move(changes);
  last_permitted_.reset();
  report(s);
}

msg::outcome<msg::tool_list> tool_catalog::stored_list(const server& s) {
  if (s.is_held)
    return s.held;
  msg::tool_list out;
  auto problem = store_.read(s.digest, [&](auto name, auto description, auto definition) {
    out.push_back({s.entry.name, std::string{name}, std::string{description}, msg::document::parse(definition).value});
  });
  if (problem.code != errc::none)
    return problem;
  return out;
}

/// Once for each set of changes.
void tool_catalog::report(server& s) {
  if (s.changes.empty()) {
    s.told.clear();
    return;
  }
  auto count = s.changes.size();
  auto text = "server '" + s.entry.name + "': " + std::to_string(count) + (count == 1 ? " tool is" : " tools are") + " not what was approved"
              + (rule_ == changed_tools::held ? " and held: " : ": ");
  size_t told = 0;
  for (auto& [tool, what] : s.changes) {
    if (told == reported_tools_max) {
      text += ", and " + std::to_string(count - told) + " more";
      break;
    }
    text += (told++ == 0 ? "'" : ", '") + msg::quoted(tool, quoted_name_bytes_max) + "' (" + what + ")";
  }
  text += "; " + trust::command_to_approve(s.entry.name) + " --show tells more, and without --show it approves them";
  if (std::exchange(s.told, text) != text)
    reports_.push_back(std::move(text));
}

// ---- what may be used ------------------------------------------------------------------------------

/// Nothing is used of a list that nobody has looked at.
bool tool_catalog::is_shut(const std::string& server, std::string_view tool) const {
  auto at = rule_ == changed_tools::held ? servers_.find(server) : servers_.end();
  return at != servers_.end() && (!at->second.is_reviewed || at->second.changes.contains(tool));
}

bool tool_catalog::holds_any() const {
  auto is_held = [](auto& s) { return !s.second.is_reviewed || !s.second.changes.empty(); };
  return rule_ == changed_tools::held && std::any_of(servers_.begin(), servers_.end(), is_held);
}

void tool_catalog::mark(msg::tool_info& tool) const {
  auto at = servers_.find(tool.server);
  if (at == servers_.end())
    return;
  auto change = at->second.changes.find(tool.name);
  tool.changed = change == at->second.changes.end() ? std::string{} : change->second;
}

msg::reviewed_tools tool_catalog::usable(const server& s, const msg::tool_list& tools) const {
  msg::reviewed_tools out;
  for (auto& t : tools) {
    if (is_shut(s.entry.name, t.name)) {
      ++out.held;
      continue;
    }
    out.tools.push_back(t);
    mark(out.tools.back());
  }
  return out;
}

fault tool_catalog::held_fault(const server& s, const std::string& tool) const {
  auto command = trust::command_to_approve(s.entry.name);
  auto change = s.changes.find(tool);
  auto why = change == s.changes.end() ? "it could not be compared with what was approved" : change->second;
  return fault{errc::tool_changed, "tool '" + tool + "' of server '" + s.entry.name + "' is held: " + why + ". A person can look at it with `"
                                     + command + " --show`, and approve it with `" + command + "`."}
    .at(s.entry.name, tool);
}

} // namespace catalog
