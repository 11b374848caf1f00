// What the reader knows of one setting after it was read: the one source of `config show`, of the schema for editors
// and of the test that compares the documentation.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <utility>
#include <vector>

namespace config {

/// Stands for what is not shown.
inline constexpr const char* masked_value = "***";

struct setting_entry {
  std::string path;            ///< "sandbox.pool.size"; empty: only the variable
  std::string also;            ///< another path that means the same; empty: none
  std::string variable;        ///< empty: none
  std::string about;           ///< what it is for, in a few words
  boost::json::object schema;  ///< JSON Schema of its value, without `env:`
  boost::json::value standard; ///< without file and variables
  boost::json::value value;    ///< in effect; what came through `env:` is masked
  bool masked = false;
  std::vector<std::string> origins; ///< "FILE:3", or a variable; lists may have several, defaults none

  void settle(boost::json::value in_effect) {
    value = masked ? boost::json::value(masked_value) : std::move(in_effect);
  }
};

} // namespace config
