#include "config/started_files.hpp"

#include "config/file_look.hpp"
#include "config/launch.hpp"
#include "config/shown.hpp"
#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "text/utf8.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace config {

namespace fs = std::filesystem;

namespace {

/// Of a folder; without servers it is a file.
struct closing {
  std::string problem; ///< of one file; empty: names could not be followed
  std::string doubt;   ///< of a text for a shell
  std::set<std::string> servers;
};

std::string why_closed(const closing& what) {
  auto& servers = what.servers;
  std::string names;
  size_t shown = 0;
  for (auto name = servers.begin(); name != servers.end() && shown < unfollowed_servers_shown_max; ++name, ++shown)
    names += (shown == 0 ? "'" : ", '") + text::quoted(*name, shown_bytes_max) + "'";
  if (servers.size() > shown)
    names += " and " + std::to_string(servers.size() - shown) + " more";
  if (!what.doubt.empty())
    return "what server " + names + " starts is not known, since its command can not be followed: " + what.doubt
           + "; write it as a plain command with its arguments and 'cwd'";
  if (!what.problem.empty())
    return what.problem + ", so what server " + names + " would start is not known";
  return "the names of files that decide what server " + names
         + " would start could not all be followed within the bound";
}

/// Of what is taken apart.
size_t bytes_of(const msg::server_entry& entry) {
  auto bytes = entry.command.size();
  for (auto& word : entry.args)
    bytes += word.size() + 1;
  for (auto& [name, value] : entry.env)
    bytes += name.size() + value.size();
  return bytes;
}

/// Where a project's entry leads to is the word of whoever has written the project: nothing outside of its folder is
/// kept or closed for that.
class project_files {
public:
  explicit project_files(const std::string& folder) : folder_(folder) {}

  void clip(program_places& places, file_look& look) const {
    auto real = look.end_of(folder_.string()).real;
    std::erase_if(places.files, [&](auto& file) {
      auto end = look.end_of(file).real;
      return !process::inside(fs::path{file}.lexically_normal(), folder_)
             || (!end.empty() && !process::inside(end, real)) || fs::path{file} == folder_;
    });
    for (auto& closed : places.closed)
      if (!process::inside(closed.path, folder_))
        closed.path = folder_.string();
  }

private:
  fs::path folder_;
};

class server_files {
public:
  server_files(const environment& env, const variable_lookup& variable) : env_(env), variable_(variable) {}

  void add(const msg::server_entry& entry) {
    if (msg::is_trusted(entry))
      return add(entry.name, files_of(entry, env_, variable_, look_));
    auto bytes = bytes_of(entry);
    if (project_entries_left_ == 0 || bytes > project_bytes_left_ || project_look_.is_spent())
      return add(entry.name, {{}, {{env_.cwd, {}, "it is beyond what is looked at of servers of the project"}}});
    --project_entries_left_;
    project_bytes_left_ -= bytes;
    auto places = files_of(entry, env_, variable_, project_look_);
    project_files{env_.cwd}.clip(places, project_look_);
    add(entry.name, std::move(places));
  }

  std::vector<started_file> found() && {
    std::vector<started_file> out;
    out.reserve(found_.size());
    for (auto& [path, by] : found_)
      out.push_back({path, by.servers.empty() ? std::string{} : why_closed(by)});
    return out;
  }

private:
  void add(const std::string& name, program_places places) {
    for (auto& file : places.files)
      found_.try_emplace(std::move(file));
    for (auto& folder : places.closed) {
      auto& by = found_[folder.path];
      if (by.servers.empty() && !folder.file.empty())
        by.problem = text::quoted(folder.file, msg::limits::path_bytes_max) + ' ' + folder.why;
      if (by.servers.empty() && folder.file.empty())
        by.doubt = folder.why;
      by.servers.insert(name);
    }
  }

  const environment& env_;
  const variable_lookup& variable_;
  file_look look_, project_look_{project_look_steps_max, project_asked_steps_max};
  size_t project_entries_left_ = project_entries_max, project_bytes_left_ = project_words_bytes_max;
  std::map<std::string, closing> found_;
};

} // namespace

std::vector<started_file> files_of_servers(const server_list& servers, const environment& env,
                                           const variable_lookup& variable) {
  server_files files{env, variable};
  for (auto* entries : {&servers.entries, &servers.hidden, &servers.of_clients})
    for (auto& entry : *entries)
      files.add(entry);
  return std::move(files).found();
}

} // namespace config
