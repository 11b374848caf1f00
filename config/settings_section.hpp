// One object of the settings file, and the variables that go with it: takes values of every kind.
#pragma once

#include "config/settings_reader.hpp"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

class settings_section;

/// Another place for the same setting; not both may be used.
struct other_place {
  const settings_section* section = nullptr;
  const char* key = nullptr;
};

/// Where a setting may be given. What the variable says counts, but the file has to be right all the same.
struct setting_name {
  const char* key = nullptr; ///< in its section; none: only the variable
  const char* about = "";
  const char* variable = nullptr; ///< none: only the key
  other_place also = {};
};

template <class Enum>
struct choice {
  const char* name;
  Enum value;
};

/// "" has the list for all, if there is one.
using lists_by_name = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Every taker leaves `to` as it is if nothing is given, and `to` is the default until then. Borrows the reader.
class settings_section {
public:
  static settings_section root(settings_reader& reader);

  settings_section inside(const char* key) const;
  /// The section is here or in `other`, not in both.
  settings_section inside_either(const char* key, const settings_section& other) const;

  void flag(const setting_name& name, bool& to);
  /// Nothing: it is not given.
  void flag(const setting_name& name, std::optional<bool>& to);
  template <class Number>
  void integer(const setting_name& name, uint64_t least, uint64_t most, Number& to) {
    to = Number(whole_number(name, least, most, static_cast<uint64_t>(to)));
  }
  void milliseconds(const setting_name& name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
  /// 0 stands for: never.
  void milliseconds_or_never(const setting_name& name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
  void seconds(const setting_name& name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
  void mebibytes(const setting_name& name, uint64_t least, uint64_t most, uint64_t& bytes);
  void number(const setting_name& name, double least, double most, double& to);
  void bytes(const setting_name& name, uint64_t least, uint64_t most, uint64_t& to);
  void duration(const setting_name& name, std::chrono::milliseconds least, std::chrono::milliseconds most,
                std::chrono::milliseconds& to);
  /// `is_right` decides; `expected` says what it wants.
  void text(const setting_name& name, bool (*is_right)(std::string_view), const char* expected, std::string& to);
  /// A text that is shown nowhere, without white space around it. A file that has one itself must be closed to others.
  void secret(const setting_name& name, bool (*is_right)(std::string_view), const char* expected, std::string& to);
  void path(const setting_name& name, std::string& to);
  /// A path, or the name of a command in PATH.
  void command(const setting_name& name, std::string& to);
  /// A list, the items of which are added; a variable separates them by ':'.
  void paths(const setting_name& name, std::vector<std::string>& to);
  void texts(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
             std::vector<std::string>& to);
  /// A list that takes the place of the default one; a variable has a JSON list, or separates the items by ','.
  void list(const setting_name& name, bool (*is_right)(std::string_view), const char* expected,
            std::vector<std::string>& to);
  /// The same, or an object with such a list for some of `keys`. A variable has one for all.
  void list_or_lists(const setting_name& name, const std::vector<const char*>& keys, bool (*is_right)(std::string_view),
                     const char* expected, lists_by_name& to);
  /// An object, whose keys are not looked at here, or the path of a file; the other one is empty then.
  void object_or_path(const setting_name& name, msg::document& object, std::string& path);
  /// true or false, or a list.
  void flag_or_paths(const setting_name& name, bool& all, std::vector<std::string>& to);
  void flag_or_texts(const setting_name& name, bool (*is_right)(std::string_view), const char* expected, bool& all,
                     std::vector<std::string>& to);
  template <class Enum>
  void one_of(const setting_name& name, std::initializer_list<choice<Enum>> choices, Enum& to) {
    std::vector<std::string_view> names;
    const char* standard = nullptr;
    for (auto& c : choices) {
      names.emplace_back(c.name);
      standard = c.value == to && !standard ? c.name : standard;
    }
    auto chosen = name_of(name, names, standard);
    for (auto& c : choices)
      to = c.name == chosen ? c.value : to;
  }

  /// Whether the file has the key.
  bool has(const char* key) const { return object_ && object_->contains(key); }
  /// Whether the file has this section.
  bool is_given() const { return object_ != nullptr; }
  /// "FILE: line 3, column 5: 'KEY'"
  std::string at(const char* key) const { return reader_->at(member_path(path_, key)); }
  /// "FILE:3", of the section.
  std::string place() const { return reader_->origin(path_); }
  /// Where a setting that was taken comes from; empty: it is the default.
  std::string origin(const char* key) const;
  /// What became of a setting for the sake of another: `because` is the variable that did it, or empty.
  void in_effect(const char* key, boost::json::value value, const std::string& because = {});
  void complain(msg::errc code, std::string what) { reader_->complain({code, std::move(what)}); }

private:
  settings_section(settings_reader& reader, const boost::json::object* object, std::string path, std::string name,
                   std::string also);

  /// By key, or by variable what is only a variable.
  setting_entry* taken(const char* name) const;
  const boost::json::object* object_at(const char* key) const;
  void know(const char* key) const;
  setting_entry& declare(const setting_name& name, boost::json::object schema, boost::json::value standard);
  /// What the file gives, then what the variable gives.
  std::vector<given_value> given(const setting_name& name, setting_entry& entry);
  std::vector<given_value> items(const setting_name& name, setting_entry& entry);
  void take_paths(const setting_name& name, setting_entry& entry, std::vector<std::string>& to);
  void take_texts(const setting_name& name, setting_entry& entry, bool (*is_right)(std::string_view),
                  const char* expected, std::vector<std::string>& to);
  std::vector<given_value> list_items(const given_value& g, const std::string& path);
  boost::json::array list_texts(const given_value& g, const std::string& path, bool (*is_right)(std::string_view),
                                const char* expected, std::vector<std::string>& to);
  void take_flag(const setting_name& name, setting_entry& entry, const char* expected, bool& to);
  bool is_flag(const char* key) const;
  uint64_t whole_number(const setting_name& name, uint64_t least, uint64_t most, uint64_t standard);
  std::string name_of(const setting_name& name, const std::vector<std::string_view>& names, const char* standard);

  settings_reader* reader_;
  const boost::json::object* object_; ///< null: not given
  std::string path_;                  ///< where the file has it
  std::string name_;                  ///< its first place
  std::string also_;                  ///< the other place where it may be; empty: none
};

} // namespace config
