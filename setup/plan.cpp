#include "setup/plan.hpp"

#include "setup/own_entry.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace setup {

namespace json = boost::json;
using config::file_format;

namespace {

/// What all clients mean by a name.
class known_servers {
public:
  explicit known_servers(const std::vector<client_look>& all) {
    for (auto& look : all)
      for (auto& entry : look.others) {
        auto ours = own_entry(entry);
        auto [known, is_new] = by_name_.try_emplace(entry.name, meaning{ours.value, look.file.path, ours.ok()});
        bool is_same = is_new || (ours.ok() && known->second.is_known && known->second.entry == ours.value);
        if (!is_same)
          known->second.is_doubtful = true;
      }
  }

  bool is_doubtful(const std::string& name) const {
    auto found = by_name_.find(name);
    return found != by_name_.end() && found->second.is_doubtful;
  }

private:
  struct meaning {
    json::object entry;
    std::string path;
    bool is_known = false;
    bool is_doubtful = false; ///< two clients mean two servers
  };
  std::map<std::string, meaning> by_name_;
};

class planner {
public:
  planner(const std::vector<client_look>& all, std::string command, const std::string& own_path)
    : known_(all),
      command_(std::move(command)) {
    own_.file = read_user_file(own_path);
    own_.after = own_.file.text;
    own_.problem = own_.file.error.message;
    if (!own_.problem.empty())
      return;
    auto root = edits::parse_text(file_format::json, own_.after);
    if (!root.ok())
      broken_ = own_.file.path + ": " + root.error.message;
    else if (auto* list = root.value.get_object().if_contains(own_servers_container); list && list->is_object())
      own_entries_ = list->get_object();
  }

  client_plan plan(const client_choice& choice) {
    client_plan out;
    auto& look = *choice.look;
    out.look = &look;
    out.problem = look.problem;
    out.after = look.file.text;
    if (!out.problem.empty())
      return out;
    auto own_before = own_.after;
    auto added_before = own_.added;
    auto entries_before = own_entries_;
    if (choice.servers == servers_wish::move)
      move(look, out);
    if (out.problem.empty() && choice.entry == own_entry_wish::put && look.own_names.empty())
      put(look, out);
    if (out.problem.empty() && choice.entry == own_entry_wish::remove && !look.own_names.empty()) {
      take(look, edits::remove_entries(look.format, out.after, look.list, look.own_names), out);
      out.change = entry_change::removed;
    }
    if (!out.problem.empty()) {
      out.after = look.file.text;
      out.change = entry_change::none;
      out.put.clear();
      out.moved.clear(); // its client keeps them
      own_.after = std::move(own_before);
      own_.added = std::move(added_before);
      own_entries_ = std::move(entries_before);
    }
    return out;
  }

  own_file_plan finish() && { return std::move(own_); }

private:
  static void take(const client_look& look, msg::outcome<edits::edited_text> edited, client_plan& to) {
    if (!edited.ok()) {
      to.problem = look.file.path + ": " + edited.error.message;
      return;
    }
    to.after = std::move(edited.value.text);
    to.put = std::move(edited.value.put);
  }

  void put(const client_look& look, client_plan& to) const {
    if (edits::is_blank(to.after))
      to.after = new_text_for(*look.of);
    if (look.has_address) // of which nothing may be left beside a command
      take(look, edits::remove_entries(look.format, to.after, look.list, {own_name}), to);
    if (!to.problem.empty())
      return;
    take(look, edits::put_entry(look.format, to.after, look.list, own_name, entry_for(*look.of, command_)), to);
    to.change = look.has_other_program ? entry_change::replaced : entry_change::added;
  }

  /// Into our file, as far as that can be.
  void move(const client_look& look, client_plan& to) {
    json::object added; // all at once: each time that the file is read and written anew takes as long as it is
    for (auto& entry : look.others) {
      auto ours = own_entry(entry);
      auto stays = look.staying.find(entry.name);
      auto why = stays != look.staying.end()      ? stays->second
                 : !ours.ok()                     ? ours.error.message
                 : known_.is_doubtful(entry.name) ? "another client has another server of that name"
                                                  : why_not_added(entry.name, ours.value);
      if (!why.empty()) {
        to.staying.push_back({entry.name, why});
        continue;
      }
      to.moved.push_back(entry.name);
      if (own_entries_.contains(entry.name))
        continue;
      own_entries_[entry.name] = ours.value;
      added[entry.name] = std::move(ours.value);
      own_.added.push_back(entry.name);
    }
    auto edited = edits::put_new_entries(own_.after, own_list(), added);
    if (edited.ok())
      own_.after = std::move(edited.value.text);
    else
      leave(added, own_.file.path + ": " + edited.error.message, to);
    if (!to.moved.empty())
      take(look, edits::remove_entries(look.format, to.after, look.list, to.moved), to);
  }

  /// None of these has got into our file.
  void leave(const json::object& added, const std::string& why, client_plan& to) {
    std::erase_if(to.moved, [&](auto& name) { return added.contains(name); });
    for (auto& [name, entry] : added) {
      to.staying.push_back({std::string{name}, why});
      own_entries_.erase(name);
    }
    own_.added.resize(own_.added.size() - added.size());
  }

  static edits::server_place own_list() { return {keys_of(own_servers_container)}; }

  /// Empty: it is in there, or can be.
  std::string why_not_added(const std::string& name, const json::object& entry) {
    if (!broken_.empty())
      own_.problem = broken_;
    if (!own_.problem.empty())
      return own_.problem;
    if (auto* there = own_entries_.if_contains(name))
      return there->is_object() && there->get_object() == entry ? ""
                                                                : own_.file.path + " has another server of that name";
    if (own_.added.size() >= moved_max)
      return "at most " + std::to_string(moved_max) + " servers are moved at once; run this again for the others";
    return {};
  }

  known_servers known_;
  std::string command_;
  own_file_plan own_;
  std::string broken_;       ///< our file is, and nothing can be moved: where and why
  json::object own_entries_; ///< of our file as it is to be
};

/// Of a client whose file is that of another one, which is changed already.
client_plan as_planned(const client_choice& choice, const client_choice& first, const client_plan& planned) {
  client_plan out;
  auto& look = *choice.look;
  bool is_same = look.list.container == first.look->list.container && look.list.kind == first.look->list.kind
                 && choice.entry == first.entry && choice.servers == first.servers && look.problem.empty();
  if (is_same)
    out = planned;
  else
    out.problem = look.file.path + ": is the file of " + first.look->of->label
                  + " as well, which is changed first; run this again for " + look.of->label;
  out.look = &look;
  out.written_with = first.look;
  if (!is_same)
    out.after = look.file.text;
  return out;
}

std::optional<std::string> with_mark(const user_file& file, const std::string& text) { return file.mark + text; }

} // namespace

std::vector<file_change> setup_plan::changes() const {
  std::vector<file_change> out;
  if (!own.added.empty())
    out.push_back({own.file.path, own.file.content(), with_mark(own.file, own.after),
                   edits::server_place{keys_of(own_servers_container)}, file_rights::users_alone});
  for (auto& c : clients)
    if (c.problem.empty() && !c.written_with && c.after != c.look->file.text)
      out.push_back({c.look->file.path, c.look->file.content(), with_mark(c.look->file, c.after), c.look->list});
  return out;
}

setup_plan make_plan(const std::vector<client_choice>& choices, const std::vector<client_look>& all,
                     const std::string& command, const std::string& own_path) {
  planner p{all, command, own_path};
  setup_plan out;
  std::map<std::string, size_t> changed; // by where the path leads
  for (size_t i = 0; i < choices.size(); ++i) {
    auto target = target_of(choices[i].look->file.path);
    auto same = changed.find(target);
    out.clients.push_back(same == changed.end()
                            ? p.plan(choices[i])
                            : as_planned(choices[i], choices[same->second], out.clients[same->second]));
    auto& c = out.clients.back();
    if (c.problem.empty() && c.after != c.look->file.text)
      changed.emplace(std::move(target), i);
  }
  out.own = std::move(p).finish();
  return out;
}

size_t movable(const client_look& look) {
  return static_cast<size_t>(std::count_if(look.others.begin(), look.others.end(), [&](auto& entry) {
    return !look.staying.contains(entry.name) && own_entry(entry).ok();
  }));
}

} // namespace setup
