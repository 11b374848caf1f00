// Takes settings out of a file and the environment one by one, keeps every complaint with its place, and remembers
// what there is to be set.
#pragma once

#include "config/environment.hpp"
#include "config/json_file.hpp"
#include "config/json_positions.hpp"
#include "config/setting_entry.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace config {

/// One value, wherever it was given.
struct given_value {
  boost::json::value value; ///< `env:NAME` is replaced
  bool is_text = false;     ///< numbers and flags are written as text: it comes from a variable
  std::string where;        ///< "FILE: line 3, column 5: 'security.allowRead[0]'", or "DENO_PATH"
  std::string shown;        ///< as it was written; never the value of a variable that the file names
  std::string folder;       ///< relative paths start here
  bool masked = false;      ///< the file names a variable
  bool unset = false;       ///< which is not set
};

/// Empty: it is no text.
inline std::string_view text_of(const given_value& g) {
  return g.value.is_string() ? std::string_view{g.value.get_string()} : std::string_view{};
}

/// Whose file it is: one of a project learns nothing of our variables.
enum class file_of : uint8_t { user, project };

class settings_reader {
public:
  /// More are not told.
  static constexpr size_t complaints_max = 50;
  static constexpr size_t shown_bytes_max = 80;

  /// `file` was parsed; one that does not exist has no keys. All are borrowed.
  settings_reader(const environment& env, const variable_lookup& variable, std::string path, const json_file& file,
                  file_of whose = file_of::user);

  void complain(msg::fault why);
  void complain(const given_value& g, const std::string& expected);
  /// Of two keys that mean the same.
  void complain_of_both(const std::string& path, const std::string& other);
  /// The file itself has the secret `g`: complains if others than its owner may read it.
  void need_private_file(const given_value& g);
  /// After all keys were taken: complains about those that no section took.
  const std::vector<msg::fault>& finish();
  const std::deque<setting_entry>& entries() const { return entries_; }

  // ---- for sections
  const boost::json::object* root() const;
  /// A key of a section, which may be a section itself.
  void know(const std::string& section, const std::string& key) { known_.emplace(section, key); }
  void know_section(const std::string& path, const boost::json::object& object) { sections_.emplace(path, &object); }
  setting_entry& add(setting_entry entry) { return entries_.emplace_back(std::move(entry)); }
  /// By path; by variable what is only a variable. Null: there is none.
  setting_entry* find(std::string_view name);
  given_value from_file(const boost::json::value& value, const std::string& path);
  /// Nothing: it is not set.
  std::optional<given_value> from_variable(const char* name);
  /// "FILE:3"
  std::string origin(const std::string& path) const;
  /// "FILE: line 3, column 5: 'KEY'"
  std::string at(const std::string& path) const;
  /// The value of a path, absolute; empty after a complaint.
  std::string path_of(const given_value& g);

private:
  /// Nothing: the variable is not set.
  std::optional<std::string> replaced(const given_value& g, std::string_view text);
  void complain_of_unknown(const std::string& path, std::string_view key);

  const environment& env_;
  const variable_lookup& variable_;
  std::string path_;
  const json_file& file_;
  file_of whose_;
  json_positions positions_;
  std::set<std::pair<std::string, std::string>> known_; ///< all keys that there are, with the paths of their sections
  std::map<std::string, const boost::json::object*> sections_;
  std::deque<setting_entry> entries_; ///< sections hold references
  std::vector<msg::fault> problems_;
};

} // namespace config
