// What an entry means depends on the folder that it is used in, for some.
#pragma once

#include "config/server_list.hpp"
#include "messages/servers.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace config {

/// Of the entries that are read together: of folders that many of them ask for, it is looked at once what is in them.
class entry_scopes {
public:
  /// Outlives this.
  explicit entry_scopes(const environment& env) : env_(env), cwd_(env.cwd) {}

  /// The project that an entry of that source is of, or in whose folder something that it names is found: what its
  /// server says there says nothing of the server that an equal entry starts elsewhere. Empty: it is the same
  /// everywhere.
  std::string of(const server_source& source, const msg::server_entry& entry);

private:
  bool is_there(const std::filesystem::path& folder, std::string_view word);
  bool is_any_there(const std::filesystem::path& folder, const std::vector<std::string>& files);
  bool names_something(const std::string& word);
  bool manager_finds_something(const std::vector<std::string>& words);
  bool depends_on_folder(const msg::server_entry& entry);

  const environment& env_;
  std::filesystem::path cwd_;
  std::map<std::string, bool> first_parts_;     ///< whether the first part of a word is in its folder
  std::unordered_map<std::string, bool> words_; ///< `names_something`: most entries share words
};

} // namespace config
