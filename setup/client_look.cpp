#include "setup/client_look.hpp"

#include "config/server_entry.hpp"
#include "config/servers_part.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string_view>
#include <utility>

namespace setup {

namespace json = boost::json;
using msg::errc;

namespace {

/// The keys that lead to the list that was found.
edits::key_path found_keys(const config::config_file& file, const config::part_of_file& found,
                           const config::client_file& row, const config::environment& env) {
  if (row.container)
    return keys_of(row.container);
  for (auto* keys : config::usual_containers())
    if (config::find_part(file.root(), keys, env).value == found.value)
      return keys_of(keys);
  return {}; // the file is the list
}

bool is_ours(const msg::server_entry& entry, config::start_detector& own) {
  std::string_view command = entry.command;
  auto base = command.substr(command.rfind('/') == command.npos ? 0 : command.rfind('/') + 1);
  return (entry.name == own_name && base == own_name) || own.starts(entry);
}

class list_reader {
public:
  list_reader(const config::config_file& file, const config::client_file& row, config::start_detector& own,
              client_look& to)
    : file_(file),
      row_(row),
      own_(own),
      to_(to) {}

  void read(const config::part_of_file& list) {
    if (auto* object = list.value->if_object())
      for (auto& [key, value] : *object)
        add(std::string{key}, config::member_path(list.path, key), value);
    auto* items = list.value->if_array();
    for (size_t i = 0; items && i < items->size(); ++i) {
      auto* object = (*items)[i].if_object();
      auto* name = object ? object->if_contains("name") : nullptr;
      if (name && name->is_string())
        add(std::string{name->get_string()}, config::item_path(list.path, i), (*items)[i]);
    }
  }

private:
  void add(std::string name, const std::string& part, const json::value& value) {
    config::file_problems untold{0};
    auto read = config::read_entry(row_, file_, part, name, value, untold);
    bool is_own = read.entry && is_ours(*read.entry, own_);
    if (is_own) {
      to_.own_names.push_back(std::move(name));
    } else if (name == own_name) {
      to_.has_other_program = true;
      to_.has_address = !read.entry || !read.entry->url.empty();
    } else if (read.entry) {
      to_.others.push_back(std::move(*read.entry));
    }
  }

  const config::config_file& file_;
  const config::client_file& row_;
  config::start_detector& own_;
  client_look& to_;
};

} // namespace

client_look look_at(const client& c, const client_place& place, const config::environment& env,
                    config::start_detector& own) {
  client_look out;
  out.of = &c;
  out.file = read_user_file(place.path);
  out.format = config::format_of(place.path);
  out.list = list_for(c);
  if (out.file.error.code != errc::none) {
    out.problem = out.file.error.message;
    return out;
  }
  if (!out.file.exists || edits::is_blank(out.file.text))
    return out;
  auto file = config::config_file::of_text(place.path, out.file.text);
  if (file.error().code != errc::none) {
    out.problem = file.error().message;
    return out;
  }
  bool is_empty = file.root().is_null() && out.format == config::file_format::yaml;
  if (!file.root().is_object() && !is_empty) {
    out.problem = file.place("") + ": it must be an object";
    return out;
  }
  auto list = is_empty ? config::part_of_file{} : config::find_servers(file, place.file->container, env);
  if (!list.value || list.value->is_null())
    return out;
  out.list = {found_keys(file, list, *place.file, env),
              list.value->is_array() ? edits::entry_list::items : edits::entry_list::by_name};
  bool is_list = out.format != config::file_format::json && list.value->is_array();
  if (!list.value->is_object() && !is_list) {
    out.problem = file.place(list.path) + ": '" + list.path + "' must be an object of servers";
    return out;
  }
  file.look_beneath(list.path);
  list_reader{file, *place.file, own, out}.read(list);
  return out;
}

} // namespace setup
