#include "actors/servers/generations.hpp"

#include <algorithm>
#include <utility>

namespace servers {

const proxy::name_table& name_set::table_of(const std::vector<std::string>& names,
                                            std::optional<proxy::name_table>& made) {
  if (!made)
    made.emplace(std::vector<std::string_view>{names.begin(), names.end()});
  return *made;
}

const std::string* name_set::find(std::string_view written) const {
  if (auto which = table_of(trusted, trusted_table_).find(written); which >= 0)
    return &trusted[static_cast<size_t>(which)];
  auto which = table_of(names, table_).find(written);
  return which < 0 ? nullptr : &names[static_cast<size_t>(which)];
}

generations::generations(msg::name_policy policy, std::vector<msg::server_entry> first)
  : of_settings_(std::move(policy)) {
  set(std::move(first));
}

void generations::set(std::vector<msg::server_entry> entries) {
  name_set names;
  refused_ = {};
  policy_ = std::make_shared<const proxy::tool_policy>(of_settings_, entries);
  for (auto& entry : entries) {
    names.names.push_back(entry.name);
    if (msg::is_trusted(entry))
      names.trusted.push_back(entry.name);
    else
      refused_.add(entry.name);
    auto [at, is_new] = now_.try_emplace(entry.name);
    if (is_new) {
      at->second.since = generation_;
      at->second.number = ++last_number_;
    }
    at->second.entry = std::move(entry);
  }
  names_[generation_] = std::move(names);
}

msg::server_changes generations::replace(std::vector<msg::server_entry> entries) {
  msg::server_changes changes;
  std::map<std::string, const msg::server_entry*> wanted;
  for (auto& e : entries)
    wanted.emplace(e.name, &e);
  ++generation_;
  for (auto at = now_.begin(); at != now_.end();) {
    auto found = wanted.find(at->first);
    if (found != wanted.end() && is_same_server(at->second.entry, *found->second)) {
      ++at;
      continue;
    }
    (found == wanted.end() ? changes.removed : changes.changed).push_back(at->first);
    at->second.until = generation_;
    retired_.push_back(std::move(at->second));
    at = now_.erase(at);
  }
  for (auto& [name, entry] : wanted)
    if (!now_.contains(name)
        && std::find(changes.changed.begin(), changes.changed.end(), name) == changes.changed.end())
      changes.added.push_back(name);
  set(std::move(entries));
  return changes;
}

server* generations::find(const std::string& name, uint64_t run) {
  if (auto began = runs_.find(run); began != runs_.end() && began->second < generation_)
    for (auto& r : retired_)
      if (r.entry.name == name && r.since <= began->second && began->second < r.until)
        return &r;
  auto found = now_.find(name);
  return found == now_.end() ? nullptr : &found->second;
}

server* generations::numbered(uint64_t number) {
  auto all = with_retired();
  auto found = std::find_if(all.begin(), all.end(), [number](auto* s) { return s->number == number; });
  return found == all.end() ? nullptr : *found;
}

server* generations::configured_as(const msg::server_entry& entry) {
  if (auto* s = find(entry.name); s && is_same_server(s->entry, entry))
    return s;
  auto found =
    std::find_if(retired_.rbegin(), retired_.rend(), [&](auto& s) { return is_same_server(s.entry, entry); });
  return found == retired_.rend() ? nullptr : &*found;
}

std::vector<server*> generations::with_retired() {
  std::vector<server*> all;
  all.reserve(now_.size() + retired_.size());
  for (auto& [name, s] : now_)
    all.push_back(&s);
  for (auto& s : retired_)
    all.push_back(&s);
  return all;
}

const name_set& generations::names_of(uint64_t run) const {
  auto began = runs_.find(run);
  auto found = names_.find(began == runs_.end() ? generation_ : began->second);
  return found == names_.end() ? names_.rbegin()->second : found->second;
}

std::vector<uint64_t> generations::take_unneeded() {
  std::vector<uint64_t> gone;
  if (retired_.empty() && names_.size() == 1)
    return gone;
  std::erase_if(retired_, [&](const server& s) {
    bool is_needed =
      std::any_of(runs_.begin(), runs_.end(), [&](auto& r) { return s.since <= r.second && r.second < s.until; });
    if (!is_needed)
      gone.push_back(s.number);
    return !is_needed;
  });
  std::erase_if(names_, [this](auto& named) {
    return named.first != generation_
           && std::none_of(runs_.begin(), runs_.end(), [&](auto& r) { return r.second == named.first; });
  });
  return gone;
}

} // namespace servers
