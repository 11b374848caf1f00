// Takes settings out of a file and the environment one by one, and keeps the first complaint, with its place.
#pragma once

#include "config/environment.hpp"
#include "config/json_file.hpp"
#include "config/json_positions.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <charconv>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Where a setting may be given. What the variable says counts, but the file has to be right all the same.
struct setting_name {
  const char* key = nullptr;      ///< in its section; none: only the variable
  const char* variable = nullptr; ///< none: only the key
};

/// One value, wherever it was given.
struct given_value {
  boost::json::value value; ///< `env:NAME` is replaced
  bool is_text = false;     ///< numbers and flags are written as text: it comes from a variable
  std::string where;        ///< "FILE: line 3, column 5: 'security.allowRead[0]'", or "DENO_PATH"
  std::string shown;        ///< as it was written; never the value of a variable that the file names
  std::string folder;       ///< relative paths start here
};

/// Empty: it is no text.
inline std::string_view text_of(const given_value& g) { return g.value.is_string() ? std::string_view{g.value.get_string()} : std::string_view{}; }

template <class Number>
bool parse_number(std::string_view text, Number& to) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Enum>
struct choice {
  const char* name;
  Enum value;
};

class settings_reader {
public:
  /// `file` was parsed; one that does not exist has no keys.
  settings_reader(const environment& env, const variable_lookup& variable, std::string path, const json_file& file);

  /// One object of the file. It borrows the reader.
  class section {
  public:
    section(settings_reader& reader, const boost::json::object* object, std::string path);

    section inside(const char* key);
    void flag(setting_name name, bool& to);
    template <class Number>
    void integer(setting_name name, uint64_t least, uint64_t most, Number& to) {
      for (auto& g : given(name))
        to = Number(reader_.integer_of(g, least, most, static_cast<uint64_t>(to)));
    }
    void milliseconds(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
    /// 0 stands for: never.
    void milliseconds_or_never(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
    void mebibytes(setting_name name, uint64_t least, uint64_t most, uint64_t& bytes);
    void seconds(setting_name name, uint64_t least, uint64_t most, std::chrono::milliseconds& to);
    void number(setting_name name, double least, double most, double& to);
    void bytes(setting_name name, uint64_t least, uint64_t most, uint64_t& to);
    void duration(setting_name name, std::chrono::milliseconds least, std::chrono::milliseconds most, std::chrono::milliseconds& to);
    /// `is_right` decides; `expected` says what it wants.
    void text(setting_name name, bool (*is_right)(std::string_view), const char* expected, std::string& to);
    void path(setting_name name, std::string& to);
    /// A path, or the name of a command in PATH.
    void command(setting_name name, std::string& to);
    /// A list, the items of which are added.
    void paths(setting_name name, std::vector<std::string>& to);
    void texts(setting_name name, bool (*is_right)(std::string_view), const char* expected, std::vector<std::string>& to);
    /// Whether the file has the key.
    bool has(const char* key) const;
    /// Whether the file has this section.
    bool is_given() const { return object_ != nullptr; }
    /// Whether the key is given and is no list: then it is a flag.
    bool is_flag(const char* key) const;
    template <class Enum>
    void one_of(setting_name name, std::initializer_list<choice<Enum>> choices, Enum& to) {
      for (auto& g : given(name)) {
        std::vector<std::string_view> names;
        for (auto& c : choices) {
          names.push_back(c.name);
          if (g.value.is_string() && g.value.get_string() == c.name)
            to = c.value;
        }
        reader_.require_one_of(g, names);
      }
    }
    /// Keys that a later version has.
    void later(std::initializer_list<const char*> keys);

  private:
    /// What the file gives, then what the variable gives.
    std::vector<given_value> given(setting_name name);
    std::vector<given_value> items(setting_name name);

    settings_reader& reader_;
    const boost::json::object* object_; ///< null: not given
    std::string path_;
  };

  section root();
  void complain(msg::fault why);
  void complain(const given_value& g, const std::string& expected);
  /// Of two keys that mean the same.
  void complain_of_both(const std::string& path, const std::string& other);
  /// After all keys were taken: complains about the first that nobody took.
  const msg::fault& finish();
  /// "FILE: line 3, column 5: 'KEY'"
  std::string at(const std::string& path) const;
  /// The value of a path, absolute; empty after a complaint.
  std::string path_of(const given_value& g);

private:
  given_value from_file(const boost::json::value& value, const std::string& path);
  given_value from_variable(const char* name, std::string_view text);
  std::string replaced(const given_value& g, std::string_view text);
  uint64_t integer_of(const given_value& g, uint64_t least, uint64_t most, uint64_t otherwise);
  static std::optional<uint64_t> integer_of(const given_value& g);
  void require_one_of(const given_value& g, const std::vector<std::string_view>& names);
  void complain_of_unknown(const std::string& path, std::string_view key);

  const environment& env_;
  const variable_lookup& variable_;
  std::string path_;
  const json_file& file_;
  json_positions positions_;
  std::set<std::string> known_; ///< paths of all keys that there are
  std::map<std::string, const boost::json::object*> sections_;
  msg::fault problem_;
};

} // namespace config
