#include "config/possible_words.hpp"

#include <algorithm>

namespace config {

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto part = text.substr(0, text.find_first_of(word_ends));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!part.empty())
      out.emplace_back(part);
  }
  return out;
}

std::string bare(std::string word) {
  constexpr std::string_view around = ";&|()<>{}`";
  auto begin = word.find_first_not_of(around), end = word.find_last_not_of(around);
  return begin == word.npos ? std::string{} : word.substr(begin, end - begin + 1);
}

} // namespace config
