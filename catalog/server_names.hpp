// Which servers a question speaks of.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace catalog {

class server_names {
public:
  void add(const std::string& name);

  /// Servers whose whole name is a word of the text, in any case: `github` in "an issue on GitHub". After them, those
  /// of `added` that share a word of their name with the text, more shared words first; `mcp` and `server` are none.
  std::vector<std::string> spoken_of_in(std::string_view text, const std::set<std::string>& added) const;

private:
  std::set<size_t> named_in(std::string_view text) const;
  void split_names() const;

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<size_t>> by_name_;         ///< in lower case
  mutable std::unordered_map<std::string, std::vector<size_t>> by_word_; ///< made when it is needed
};

} // namespace catalog
