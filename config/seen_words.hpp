// Words of a command line that were looked for already.
#pragma once

#include "config/command_words.hpp"

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace config {

struct seen_word {
  std::string word;
  start_kind start; ///< what the one in front of it says
  bool is_in_text;
  auto operator<=>(const seen_word&) const = default;
};

class seen_words {
public:
  /// Whether it was seen when there were as many folders as now: then there is none that it was not seen from. Notes
  /// that it is. Of more than seen_words_max words it is not known.
  bool has(seen_word word, size_t folders) {
    auto known = all_.find(word);
    if (known != all_.end())
      return std::exchange(known->second, folders) == folders;
    if (all_.size() < seen_words_max)
      all_.emplace(std::move(word), folders);
    return false;
  }
  /// With the number of folders.
  const std::map<seen_word, size_t>& all() const { return all_; }

private:
  static constexpr size_t seen_words_max = 512;
  std::map<seen_word, size_t> all_;
};

} // namespace config
