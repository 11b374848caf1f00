// The fields of one entry of a configuration, taken out one by one. Every complaint names file, line, column, server
// and field, and no value that may be a secret.
#pragma once

#include "config/config_file.hpp"
#include "config/file_problems.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace config {

using field_names = std::initializer_list<const char*>;

class entry_fields {
public:
  /// `part`: where the entry stands in the file.
  entry_fields(const config_file& file, std::string part, std::string server, const boost::json::value& entry,
               file_problems& problems);

  bool is_broken() const { return broken_; }
  /// Whether a field that limits what may be done is among the broken ones.
  bool is_policy_broken() const { return policy_broken_; }

  /// Of the names, the first that the entry has; null counts as not given. Null: it has none of them.
  const boost::json::value* find(field_names names, const char** found = nullptr) const;
  /// As it is given, null included.
  const boost::json::value* raw(const char* name) const { return object_ ? object_->if_contains(name) : nullptr; }
  bool has(const char* name) const { return raw(name) != nullptr; }
  /// The field has to be right, or the entry is skipped.
  void complain(const std::string& field, const std::string& what);
  void complain_of_policy(const std::string& field, const std::string& what);
  /// The entry is used without it.
  void note(const std::string& field, const std::string& what);

  /// Empty: not given.
  std::string text(field_names names);
  std::vector<std::string> texts(field_names names);
  std::vector<std::pair<std::string, std::string>> pairs(field_names names);
  /// A flag that only informs: what is no flag is noted.
  /// `if_wrong`: what it counts as, if it is neither true nor false.
  bool flag(field_names names, bool otherwise, bool if_wrong);

private:
  /// Of so many bytes, one more for the one who starts it. False: that is too much, which was told.
  bool take(const std::string& path, size_t bytes);
  void report(const std::string& field, const std::string& what, const char* consequence);
  std::string item_text(const char* field, const boost::json::value& item, const std::string& path);

  const config_file& file_;
  std::string part_;
  std::string server_;
  const boost::json::object* object_;
  file_problems& problems_;
  size_t texts_ = 0, bytes_ = 0; ///< of lists and objects
  bool broken_ = false;
  bool policy_broken_ = false;
};

/// A value as a complaint shows it: what is in strings, lists and objects may be a secret.
std::string kind_of(const boost::json::value& value);
/// The same with the beginning of a string: for values that are no secrets.
std::string shown(const boost::json::value& value);

} // namespace config
