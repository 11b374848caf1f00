#include "config/server_list.hpp"

#include "config/client_form.hpp"
#include "config/clients.hpp"
#include "config/entry_fields.hpp"
#include "config/entry_scope.hpp"
#include "config/entry_trust.hpp"
#include "config/file_problems.hpp"
#include "config/folder_files.hpp"
#include "config/launch.hpp"
#include "config/server_entry.hpp"
#include "config/servers_part.hpp"
#include "config/shown.hpp"
#include "config/source_files.hpp"
#include "config/started_files.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

static_assert(project_file_servers_max > project_entries_max);

namespace {

/// Of files that have lists of names, or stand in more than one place.
std::set<std::string> asked_again(const environment& env) {
  std::set<std::string> once, out;
  for (auto& list : off_lists())
    out.insert(path_of(env, list.root, list.path, list.moved_by));
  for (auto& list : verdict_lists())
    out.insert(path_of(env, list.root, list.path, list.moved_by));
  for (auto& source : server_sources(env))
    if (!once.insert(source.path).second)
      out.insert(source.path);
  return out;
}

class loader {
public:
  loader(const environment& env, const own_program& own, const approval_lookup& approved)
    : env_(env),
      own_program_(own, env),
      approved_(approved),
      files_(asked_again(env)),
      trust_(env, approved, files_, list_.problems) {}

  void read(const server_source& source) {
    if (source.path.find('*') == source.path.npos)
      return read_one(source, source.path), files_.close(source.path);
    auto found = files_of_folder(source.path);
    if (!found.problem.empty())
      list_.problems.push_back(found.problem);
    for (auto& path : found.paths)
      read_one(source, path), files_.close(path);
  }

  /// Nothing of it was read, and it is there.
  void leave_out(const std::string& path) {
    order_.emplace(path, order_.size());
    broken_files_.insert(path);
  }

  /// Servers that were known before, and of which the files do not tell any more what they are: each stays as it was,
  /// but is trusted only as far as it would be now.
  void keep_unread(const server_list& before) {
    auto is_unread = [&](const msg::server_entry& e) {
      return broken_files_.contains(e.source) || broken_entries_.contains({e.source, e.name});
    };
    for (auto& old : before.of_clients)
      if (broken_files_.contains(old.source))
        list_.of_clients.push_back(old);
    for (auto old : before.entries)
      if (is_unread(old)) {
        if (old.trust != msg::trust_level::user || approved_(old) == approval::late)
          old.trust = trust_.again(old);
        auto& others = msg::is_trusted(old) ? entries_ : waiting_;
        auto known = others.find(old.name);
        if (known == others.end() || order_[known->second.source] > order_[old.source])
          others.insert_or_assign(old.name, old);
      }
    for (auto& path : broken_files_)
      if (auto of_it =
            std::count_if(before.entries.begin(), before.entries.end(), [&](auto& e) { return e.source == path; }))
        list_.problems.push_back(path + ": " + std::to_string(of_it)
                                 + " of its servers count as they were before, until it can be read again");
  }

  /// What clients have switched off.
  void switch_off(const off_list& list) {
    auto is_meant = [&](const msg::server_entry& e) { return std::string_view{e.client}.starts_with(list.client); };
    auto is_any = [&](auto& entries) {
      return std::any_of(entries.begin(), entries.end(), [&](auto& named) { return is_meant(named.second); });
    };
    if (!is_any(entries_) && !is_any(waiting_))
      return;
    auto& [file, is_usable, is_broken, owner] =
      files_.open(path_of(env_, list.root, list.path, list.moved_by), owner_of(list.root, env_), list_.problems);
    auto names = is_usable ? find_part(file.root(), list.keys, env_) : part_of_file{};
    bool is_wrong = names.value && !names.value->is_array() && !names.value->is_null();
    if (is_wrong)
      list_.problems.push_back(file.place(names.path) + ": '" + text::quoted(names.path, shown_bytes_max)
                               + "' must be a list of names, not " + kind_of(*names.value)
                               + "; until it is one, all servers of this client count as switched off");
    if (is_wrong || (file.exists() && !is_usable)) // the file does not tell which ones are switched off
      for (auto* entries : {&entries_, &waiting_})
        for (auto& [name, entry] : *entries)
          entry.disabled = entry.disabled || is_meant(entry);
    if (!names.value || !names.value->is_array())
      return;
    for (auto& name : names.value->get_array())
      for (auto* entries : {&entries_, &waiting_})
        if (auto known = entries->find(name.is_string() ? std::string{name.get_string()} : "");
            known != entries->end() && is_meant(known->second))
          known->second.disabled = true;
  }

  server_list finish() && {
    for (auto& path : without_servers_)
      if (std::find(list_.files.begin(), list_.files.end(), path) == list_.files.end())
        list_.files.push_back(path);
    for (auto& [name, entry] : waiting_) {
      auto [known, is_alone] = entries_.try_emplace(name, entry);
      if (is_alone)
        continue;
      auto& shadows = known->second.shadows;
      entry.shadows.insert(entry.shadows.begin(), entry.source);
      shadows.insert(shadows.begin(), entry.shadows.begin(), entry.shadows.end());
      entry.shadows.clear();
      list_.hidden.push_back(std::move(entry));
    }
    for (auto& [name, entry] : entries_)
      list_.entries.push_back(std::move(entry));
    return std::move(list_);
  }

private:
  void read_one(const server_source& source, const std::string& path) {
    auto& [file, is_usable, is_broken, owner] =
      files_.open(path, source.of_project ? file_owner::project : file_owner::user, list_.problems);
    order_.emplace(path, order_.size());
    if (is_broken)
      broken_files_.insert(path);
    if (!file.exists()) {
      if (!source.named_by.empty())
        list_.problems.push_back(path + ": there is no such file, and " + source.named_by + " names it");
      return;
    }
    auto servers = is_usable ? find_servers(file, source.client.container, env_) : part_of_file{};
    auto& list = servers.value || !is_usable ? list_.files : without_servers_;
    if (std::find(list.begin(), list.end(), path) == list.end())
      list.push_back(path);
    if (!servers.value || !read_.emplace(path, servers.path).second)
      return; // one file under two roles
    left_out_ = 0;
    problems_ = file_problems{source.of_project ? std::min(project_problems_left_, limits::config_problems_max)
                                                : limits::config_problems_max};
    file.look_beneath(servers.path);
    if (auto repeated = file.repeated_key(servers.path); !repeated.empty())
      problems_.add([&] { return repeated; });
    add_all(source, file, servers);
    if (source.of_project)
      project_problems_left_ -= problems_.told().size();
    std::move(problems_).move_to(list_.problems, path);
    if (left_out_ > 0)
      list_.problems.push_back(
        path + ": too many servers"
        + (source.of_project ? " (a file of a project has " + std::to_string(project_file_servers_max) + " at most)"
                             : std::string{})
        + "; " + std::to_string(left_out_) + (left_out_ == 1 ? " entry is" : " entries are") + " left out");
  }

  void add_all(const server_source& source, const config_file& file, const part_of_file& servers) {
    bool is_json = format_of(file.path()) == file_format::json;
    if (servers.value->is_null() && !is_json)
      return;
    auto* object = servers.value->if_object();
    auto* items = is_json ? nullptr : servers.value->if_array();
    if (!object && !items) {
      broken_files_.insert(file.path());
      return problems_.add([&] {
        return file.place(servers.path) + ": '" + text::quoted(servers.path, shown_bytes_max)
               + "' must be an object of servers, not " + kind_of(*servers.value) + "; the file is skipped";
      });
    }
    auto count = object ? object->size() : items->size();
    auto read = take_room(source, count);
    left_out_ = count - read;
    for (size_t i = 0; i < read; ++i)
      if (object)
        add_member(source, file, servers.path, *std::next(object->begin(), static_cast<std::ptrdiff_t>(i)));
      else
        add_item(source, {file, servers.path, item_path(servers.path, i), (*items)[i]});
  }

  /// How many of so many entries of a file are read.
  size_t take_room(const server_source& source, size_t entries) {
    if (!source.of_project)
      return std::min(entries, limits::config_servers_max);
    entries = std::min({entries, project_file_servers_max, project_entries_left_});
    project_entries_left_ -= entries;
    return entries;
  }

  void add_member(const server_source& source, const config_file& file, const std::string& container,
                  const json::key_value_pair& member) {
    add(source, {file, container, member_path(container, member.key()), member.value()}, std::string{member.key()});
  }

  /// An entry that says its own name.
  void add_item(const server_source& source, const written_entry& written) {
    auto* object = written.value.if_object();
    auto* name = object ? object->if_contains("name") : nullptr;
    if (!name || !name->is_string())
      return problems_.add([&] {
        return written.file.place(written.part) + ": a server must be an object with a 'name'; the entry is skipped";
      });
    add(source, written, std::string{name->get_string()});
  }

  void add(const server_source& source, const written_entry& written, std::string name) {
    auto& [file, container, part, value] = written;
    add_headers_helper(source, written, name);
    if (name.size() > server_name_bytes_max) {
      problems_.add([&] {
        return file.place(part) + ": the name '" + text::quoted(name, shown_bytes_max) + "' of a server has "
               + std::to_string(name.size()) + " bytes; at most " + std::to_string(server_name_bytes_max)
               + " can be used, so the entry is skipped";
      });
      return add_hidden(source, written, name);
    }
    auto known_entry = entries_.find(name);
    if (known_entry != entries_.end())
      known_entry->second.shadows.push_back(file.path());
    if (known_entry != entries_.end() || held_names_.contains(name))
      return add_hidden(source, written, name);
    // Those that wait leave room for the user's.
    auto known = entries_.size() + (source.of_project ? waiting_.size() : 0);
    bool too_many = known >= limits::config_servers_max;
    bool is_unsayable = name.find('\0') != name.npos;
    if (too_many) {
      ++left_out_;
      return;
    }
    if (name.empty() || is_unsayable)
      return problems_.add([&] {
        return written.file.place(written.part)
               + (name.empty() ? ": a server without a name is skipped"
                               : ": the name of a server must not hold a NUL character; the entry is skipped");
      });
    auto read = read_entry(source.client, file, part, name, value, problems_);
    if (read.holds_name && (!source.of_project || trust_.is_users_word(source.client.client, written, name, problems_)))
      held_names_.insert(name);
    if (read.broken)
      add_of_client(source, std::move(*read.broken));
    if (!read.entry) {
      broken_entries_.emplace(file.path(), name);
      return;
    }
    read.entry->workspace = source.client.root == file_root::project ? env_.cwd : "";
    read.entry->scope = scopes_.of(source, *read.entry);
    if (source.of_project || approved_(*read.entry) == approval::late)
      read.entry->trust = trust_.of(*read.entry, written, problems_);
    take(source, std::move(*read.entry));
  }

  /// Its client may start it, and we do not. The project's leave the room of the user's.
  void add_of_client(const server_source& source, msg::server_entry entry) {
    auto& left = source.of_project ? project_of_clients_left_ : of_clients_left_;
    if (left == 0 || left-- == 0)
      return;
    entry.workspace = source.client.root == file_root::project ? env_.cwd : "";
    entry.trust = source.of_project ? msg::trust_level::unapproved : msg::trust_level::user;
    list_.of_clients.push_back(std::move(entry));
  }

  /// Another one has its name, or holds it.
  void add_hidden(const server_source& source, const written_entry& written, const std::string& name) {
    file_problems untold{0};
    auto read = read_entry(source.client, written.file, written.part, name, written.value, untold);
    if (auto& entry = read.entry ? read.entry : read.broken)
      add_of_client(source, std::move(*entry));
  }

  /// Claude Code runs it for the headers of a server with an address.
  void add_headers_helper(const server_source& source, const written_entry& written, const std::string& name) {
    auto* object = written.value.if_object();
    auto* helper = object ? object->if_contains("headersHelper") : nullptr;
    if (!helper || !helper->is_string())
      return;
    msg::server_entry entry;
    entry.name = name;
    entry.source = written.file.path();
    entry.syntax = source.client.syntax;
    entry.command = "sh";
    entry.args = {"-c", std::string{helper->get_string()}};
    add_of_client(source, std::move(entry));
  }

  void take(const server_source& source, msg::server_entry entry) {
    bool is_trusted = msg::is_trusted(entry);
    bool is_own = is_trusted ? own_program_.starts(entry) : own_program_.starts_as_written(entry);
    auto& to = is_trusted ? entries_ : waiting_;
    auto known = to.find(entry.name);
    if (known != to.end() && !is_own)
      known->second.shadows.push_back(entry.source);
    if (is_own || known != to.end())
      return add_of_client(source, std::move(entry));
    to.emplace(entry.name, std::move(entry));
  }

  const environment& env_;
  entry_scopes scopes_{env_};
  start_detector own_program_;
  const approval_lookup& approved_;
  std::map<std::string, msg::server_entry> entries_;
  std::map<std::string, msg::server_entry> waiting_; ///< of the project, without approval
  std::set<std::string> held_names_;                 ///< of entries that are broken in what they say of policy
  source_files files_;
  server_list list_;
  entry_trust trust_;
  std::set<std::pair<std::string, std::string>> read_; ///< files, and the parts of them
  std::vector<std::string> without_servers_;           ///< files that were read
  file_problems problems_;                             ///< of the file that is read now
  size_t left_out_ = 0;                                ///< entries of it
  size_t project_entries_left_ = limits::config_servers_max;
  size_t of_clients_left_ = limits::config_servers_max, project_of_clients_left_ = limits::config_servers_max;
  size_t project_problems_left_ = limits::config_project_problems_max;
  std::map<std::string, size_t> order_; ///< of the files that were read: what counts more first
  std::set<std::string> broken_files_;  ///< that do not tell which servers they have
  std::set<std::pair<std::string, std::string>> broken_entries_; ///< by file and name
};

server_list load(const std::vector<server_source>& sources, const environment& env, const own_program& own,
                 const approval_lookup& approved, const server_list& before, const std::vector<std::string>& left_out) {
  loader l{env, own, approved};
  for (auto& source : sources)
    l.read(source);
  for (auto& path : left_out)
    l.leave_out(path);
  l.keep_unread(before);
  for (auto& list : off_lists())
    l.switch_off(list);
  return std::move(l).finish();
}

} // namespace

server_list load_servers(const environment& env, const own_program& own, const approval_lookup& approved,
                         const server_list& before) {
  auto sources = server_sources(env);
  try {
    return load(sources, env, own, approved, before, {});
  } catch (const std::exception& e) { // such as one of memory: a project does not keep the user's own from being read
    auto of_project = std::stable_partition(sources.begin(), sources.end(), [](auto& s) { return !s.of_project; });
    auto left_out = files_of({of_project, sources.end()});
    sources.erase(of_project, sources.end());
    auto list = load(sources, env, own, approved, before, left_out);
    for (auto& path : left_out)
      list.problems.push_back(
        std::string{path}.append(": can not be read now: ").append(e.what()).append("; the file is skipped"));
    return list;
  }
}

std::vector<std::string> trusted_names(const server_list& list) {
  std::vector<std::string> out;
  for (auto& entry : list.entries)
    if (msg::is_trusted(entry))
      out.push_back(entry.name);
  return out;
}

} // namespace config
