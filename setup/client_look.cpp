#include "setup/client_look.hpp"

#include "config/server_entry.hpp"
#include "config/servers_part.hpp"
#include "config/shell_words.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace setup {

namespace json = boost::json;
using msg::errc;

namespace {

/// Of a key that is shown.
constexpr size_t key_bytes_max = 100;

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

std::string_view base_of(std::string_view path) {
  return path.substr(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1);
}

/// The program, or a package or image of it.
bool is_own_word(std::string_view word) {
  std::string_view base = base_of(word), own = own_name;
  return base.starts_with(own) && (base.size() == own.size() || base[own.size()] == '@' || base[own.size()] == ':');
}

/// Whether what is behind the program lets it be the server that clients talk to; `bridge`, `replay` and the like are
/// servers of their own.
bool is_serving(const msg::server_entry& entry) {
  std::vector<std::string> words{entry.command};
  for (auto& argument : entry.args) {
    auto inner = config::split_words(argument); // of `sh -c`
    words.insert(words.end(), inner.begin(), inner.end());
  }
  auto own = std::find_if(words.begin(), words.end(), is_own_word);
  auto behind = own == words.end() ? words.begin() + 1 : own + 1; // by another name it is the command itself
  while (behind != words.end() && is_own_word(*behind))           // a container that is called as its image
    ++behind;
  // Options without a verb are those of `serve`; those that are answered at once make no server.
  bool is_answered = behind != words.end() && (*behind == "--help" || *behind == "-h" || *behind == "--version");
  return behind == words.end() || *behind == "serve" || (behind->starts_with('-') && !is_answered);
}

enum class meaning : uint8_t { other, own, own_of_another_verb };

meaning meaning_of(const msg::server_entry& entry, config::start_detector& own) {
  std::error_code ec;
  bool is_gone = entry.command.starts_with('/') && !std::filesystem::exists(entry.command, ec);
  bool is_named = entry.name == own_name && base_of(entry.command) == own_name && !is_gone;
  if (!is_named && !own.starts(entry))
    return meaning::other;
  return !entry.url.empty() || is_serving(entry) ? meaning::own : meaning::own_of_another_verb;
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
    auto is = read.entry ? meaning_of(*read.entry, own_) : meaning::other;
    if (is == meaning::own) {
      to_.own_names.push_back(std::move(name));
    } else if (name == own_name) {
      to_.has_other_program = true;
      to_.has_address = !read.entry || !read.entry->url.empty();
    } else if (read.entry) {
      if (is == meaning::own_of_another_verb)
        to_.staying.emplace(name, "it starts code-executor itself");
      if (auto key = unread_key(row_, value); !key.empty())
        to_.staying.emplace(name,
                            "it has '" + text::quoted(key, key_bytes_max) + "', which only its client understands");
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
  out.problem = out.file.error.code != errc::none ? out.file.error.message : why_not_replaced(place.path);
  if (!out.problem.empty())
    return out;
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
  bool is_list = out.list.kind == edits::entry_list::items && list_for(c).kind == edits::entry_list::items
                 && out.format != config::file_format::json;
  if (!list.value->is_object() && !is_list) {
    out.problem = file.place(list.path) + ": '" + list.path + "' must be an object of servers";
    return out;
  }
  file.look_beneath(list.path);
  list_reader{file, *place.file, own, out}.read(list);
  std::vector<std::string> names;
  names.reserve(out.others.size());
  for (auto& entry : out.others)
    names.push_back(entry.name);
  find_mentions(file.root(), &out.list.container, place.path, names, out.staying);
  find_mentions_beside(*place.file, place.path, env, names, out.staying);
  return out;
}

} // namespace setup
