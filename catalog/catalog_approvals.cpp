// Tools that are not what was approved: found out for every list, whichever program has stored it, and followed while
// others approve.
#include "catalog/catalog.hpp"
#include "catalog/entry_digest.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace catalog {

using msg::errc;
using msg::fault;

namespace {

/// In one report; the command names them all.
constexpr size_t reported_tools_max = 5;
/// Of one server.
constexpr uint32_t reports_a_minute_max = 10;
constexpr size_t quoted_name_bytes_max = 100;

} // namespace

void tool_catalog::follow_approvals() {
  if (rule_ == changed_tools::unwatched)
    return;
  bool is_other = approvals_->has_changed();
  for (auto& [name, s] : servers_)
    if ((is_other || !s.is_reviewed) && !s.content.empty())
      review_stored(s);
}

/// The list is read only if it is not known to be as it was approved.
void tool_catalog::review_stored(server& s) {
  if (approvals_->is_known(s.entry, s.content))
    return set_changes(s, {});
  auto list = stored_list(s);
  if (list.ok() && digest_of(*list.value) == s.content)
    return review_unreviewed(s, *list.value);
  s.is_reviewed = false; // another program has replaced it: that will be noticed
  forget_questions();
}

void tool_catalog::review_unreviewed(server& s, const msg::tool_list& tools) {
  auto [changes, problem] = changes_of(s.entry, s.content, tools);
  set_changes(s, std::move(changes));
  if (problem.empty() || rule_ != changed_tools::held)
    return;
  s.is_reviewed = false; // it may go better the next time
  forget_questions();
}

/// And why they could not be found out, if so: then what is to be held is held, and else this program remembers for
/// itself.
std::pair<tool_pinning::changes, std::string>
tool_catalog::changes_of(const msg::server_entry& entry, const std::string& content, const msg::tool_list& tools) {
  if (approvals_->is_known(entry, content))
    return {};
  auto found = approvals_->review(entry, content, tools);
  if (found.ok())
    return std::pair{std::move(found.value), std::string{}};
  auto& why = found.error.message;
  bool is_strict = rule_ == changed_tools::held;
  if (std::exchange(warned_of_approvals_, why) != why)
    reports_.push_back(why
                       + (is_strict ? "; no tool is used before it can be read what was approved"
                                    : "; what is approved is kept in memory only"));
  if (!is_strict)
    return {approvals_->review_in_memory(entry, tools), why};
  tool_pinning::changes all;
  for (auto& t : tools)
    all.emplace(t.name, "what was approved can not be read (" + why + ")");
  return {std::move(all), why};
}

void tool_catalog::set_changes(server& s, tool_pinning::changes changes) {
  if (std::exchange(s.is_reviewed, true) && changes == s.changes)
    return;
  s.changes = std::move(changes);
  forget_questions();
  report(s);
}

/// What was worked out for one question and kept for the next.
void tool_catalog::forget_questions() {
  last_permitted_.reset();
  too_slow_.clear();
  permitted_to_all_.reset();
  spelled_.clear();
  spelled_count_ = 0;
}

bool tool_catalog::knows(const msg::server_entry& entry) const {
  auto at = servers_.find(entry.name);
  return at != servers_.end() && at->second.digest == digest_of(entry) && at->second.entry.source == entry.source;
}

msg::reviewed_tools tool_catalog::review(const msg::server_entry& entry, const msg::listed_tools& tools) {
  server other;
  other.entry = entry;
  if (rule_ != changed_tools::unwatched)
    other.changes = changes_of(entry, digest_of(*tools), *tools).first;
  return usable(other, tools);
}

msg::outcome<msg::listed_tools> tool_catalog::stored_list(const server& s) {
  if (s.is_held)
    return s.held;
  msg::tool_list out;
  auto problem = store_.read(s.digest, [&](auto name, auto description, auto definition) {
    out.push_back({s.entry.name, std::string{name}, std::string{description}, msg::document::parse(definition).value});
  });
  if (problem.code != errc::none)
    return problem;
  return msg::listed_tools{std::move(out)};
}

/// Once for each set of changes, and at most reports_a_minute_max a minute: a server may make another set each time.
void tool_catalog::report(server& s) {
  if (s.changes.empty()) {
    s.told.clear();
    return;
  }
  auto count = s.changes.size();
  auto text = "server '" + s.entry.name + "': " + std::to_string(count) + (count == 1 ? " tool is" : " tools are")
              + " not what was approved" + (rule_ == changed_tools::held ? " and held: " : ": ");
  size_t told = 0;
  for (auto& [tool, what] : s.changes) {
    if (told == reported_tools_max) {
      text += ", and " + std::to_string(count - told) + " more";
      break;
    }
    text += (told++ == 0 ? "'" : ", '") + text::quoted(tool, quoted_name_bytes_max) + "' (" + what + ")";
  }
  text +=
    "; " + tool_pinning::command_to_approve(s.entry.name) + " --show tells more, and without --show it approves them";
  auto now = std::chrono::steady_clock::now();
  if (now - s.told_since > std::chrono::minutes{1}) {
    s.told_since = now;
    s.told_count = 0;
  }
  if (s.told == text || s.told_count == reports_a_minute_max)
    return;
  ++s.told_count;
  s.told = text;
  reports_.push_back(std::move(text));
}

// ---- what may be used ------------------------------------------------------------------------------

/// Nothing is used of a list that the catalog has not looked at.
bool tool_catalog::is_shut(const std::string& server, std::string_view tool) const {
  auto at = rule_ == changed_tools::held ? servers_.find(server) : servers_.end();
  return at != servers_.end() && (!at->second.is_reviewed || at->second.changes.contains(tool));
}

void tool_catalog::mark(msg::tool_info& tool) const {
  if (auto at = servers_.find(tool.server); at != servers_.end())
    mark(tool, at->second.changes);
}

void tool_catalog::mark(msg::tool_info& tool, const tool_pinning::changes& changes) {
  auto change = changes.find(tool.name);
  tool.changed = change == changes.end() ? std::string{} : change->second;
}

/// The list itself, if nothing of it has changed.
msg::reviewed_tools tool_catalog::usable(const server& s, const msg::listed_tools& tools) const {
  if (s.changes.empty())
    return {tools, 0};
  uint32_t held = 0;
  msg::tool_list usable;
  for (auto& t : *tools) {
    if (rule_ == changed_tools::held && s.changes.contains(t.name)) {
      ++held;
      continue;
    }
    usable.push_back(t);
    mark(usable.back(), s.changes);
  }
  return {std::move(usable), held};
}

fault tool_catalog::held_fault(const server& s, const std::string& tool) const {
  auto command = tool_pinning::command_to_approve(s.entry.name);
  auto change = s.changes.find(tool);
  auto why = change == s.changes.end() ? "it could not be compared with what was approved" : change->second;
  return fault{errc::tool_changed, "tool '" + tool + "' of server '" + s.entry.name + "' is held: " + why
                                     + ". A person can look at it with `" + command + " --show`, and approve it with `"
                                     + command + "`."}
    .at(s.entry.name, tool);
}

} // namespace catalog
