#include "config/client_verdicts.hpp"

#include "config/entry_fields.hpp"
#include "config/servers_part.hpp"
#include "config/shown.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace config {

file_owner owner_of(file_root root, const environment& env) {
  return root == file_root::project && !is_at_home(env) ? file_owner::project : file_owner::user;
}

const client_verdicts& verdict_reader::of(const std::string& client) {
  auto [known, is_new] = known_.try_emplace(client);
  for (auto& list : verdict_lists())
    if (is_new && client == list.client)
      read(list, list.approves ? known->second.approves : known->second.rejects);
  return known->second;
}

void verdict_reader::read(const verdict_list& list, client_verdict& to) {
  auto& [file, is_usable, is_broken, owner] =
    files_.open(path_of(env_, list.root, list.path, list.moved_by), owner_of(list.root, env_), problems_);
  auto part = is_usable ? find_part(file.root(), list.keys, env_) : part_of_file{};
  auto* found = part.value;
  bool is_wrong = found && !found->is_bool() && !found->is_array() && !found->is_null();
  if (is_wrong)
    problems_.push_back(file.place(part.path) + ": '" + text::quoted(part.path, shown_bytes_max)
                        + "' must be a list of names, not " + kind_of(*found)
                        + "; until it is one, nothing counts that this client has approved");
  to.is_unreadable = to.is_unreadable || is_wrong || (file.exists() && !is_usable);
  if (found && found->is_bool())
    to.of_all = to.of_all || found->get_bool();
  if (found && found->is_array())
    for (auto& name : found->get_array())
      if (name.is_string())
        to.names.emplace(name.get_string());
}

} // namespace config
