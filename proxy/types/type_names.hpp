// Names for types, each once in a module.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace types {

/// `read-file` as the name of a type: ReadFile. Letters and digits of ASCII only, never empty.
std::string type_name(std::string_view name);

class type_names {
public:
  void reserve(std::string_view name) { taken_.emplace(name); }
  /// The name, with a number if it is taken.
  std::string take(const std::string& wish);

private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> last_; ///< number of a name that was wished before
};

} // namespace types
