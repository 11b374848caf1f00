#include "config/source_files.hpp"

#include "config/entry_fields.hpp"

namespace config {

namespace {

/// People leave keys with nothing behind them in YAML, or nothing at all.
bool is_empty(const config_file& file) { return format_of(file.path()) == file_format::yaml && file.root().is_null(); }

} // namespace

source_files::opened& source_files::open(const std::string& path, file_owner whose,
                                         std::vector<std::string>& problems) {
  auto [known, is_new] = opened_.try_emplace(path);
  auto& [file, is_usable, is_broken, owner] = known->second;
  bool had_no_room = owner == file_owner::project && file.error().code == msg::errc::limit_exceeded;
  if (!is_new && !(had_no_room && whose == file_owner::user))
    return known->second;
  owner = whose;
  file = config_file::read(path, whose == file_owner::project ? &project_ : nullptr);
  is_usable = file.exists() && file.error().code == msg::errc::none && file.root().is_object();
  is_broken = file.exists() && !is_usable && !(file.error().code == msg::errc::none && is_empty(file));
  if (file.error().code != msg::errc::none)
    problems.push_back(file.error().message + "; the file is skipped");
  else if (is_broken)
    problems.push_back(file.place("") + ": expected an object of servers, not " + kind_of(file.root())
                       + "; the file is skipped");
  return known->second;
}

void source_files::close(const std::string& path) {
  auto known = opened_.find(path);
  if (known != opened_.end() && kept_.contains(path))
    known->second.file.look_beneath({});
  else if (known != opened_.end())
    opened_.erase(known);
}

} // namespace config
