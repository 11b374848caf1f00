#include "catalog/server_names.hpp"

#include "tool_search/words.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace catalog {

namespace {

/// A shorter part of a name says too little.
constexpr size_t part_length_min = 3;

std::string lower(std::string_view text) {
  std::string out;
  for (char c : text)
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_mark(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

/// What stands between blanks, as it is and without marks around it.
std::vector<std::string> written_words(std::string_view text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_space) - text.begin();
    auto word = text.substr(i, static_cast<size_t>(end) - i);
    i = static_cast<size_t>(end) + 1;
    if (word.empty())
      continue;
    out.push_back(lower(word));
    while (!word.empty() && is_mark(word.front()))
      word.remove_prefix(1);
    while (!word.empty() && is_mark(word.back()))
      word.remove_suffix(1);
    if (!word.empty() && word.size() != out.back().size())
      out.push_back(lower(word));
  }
  return out;
}

std::set<std::string> parts_of(std::string_view name) {
  std::set<std::string> out;
  for (auto& w : tool_search::words_of(name))
    if (w.text.size() >= part_length_min && w.text != "mcp" && w.text != "server" && !tool_search::is_filler(w.text))
      out.insert(w.text);
  return out;
}

} // namespace

void server_names::add(const std::string& name) {
  auto number = names_.size();
  names_.push_back(name);
  by_name_[lower(name)].push_back(number);
}

/// Takes 10 ms for 2,000 names, and most of the time every server is known.
void server_names::split_names() const {
  if (by_word_.empty())
    for (size_t n = 0; n < names_.size(); ++n)
      for (auto& part : parts_of(names_[n]))
        by_word_[part].push_back(n);
}

std::set<size_t> server_names::named_in(std::string_view text) const {
  std::set<size_t> found;
  auto words = written_words(text);
  words.push_back(lower(text)); // a name may have blanks
  for (auto& w : words)
    if (auto at = by_name_.find(w); at != by_name_.end())
      found.insert(at->second.begin(), at->second.end());
  return found;
}

std::vector<std::string> server_names::spoken_of_in(std::string_view text, const std::set<std::string>& added) const {
  auto named = named_in(text);
  std::vector<std::string> out;
  out.reserve(named.size());
  for (auto n : named)
    out.push_back(names_[n]);
  if (added.empty())
    return out;
  split_names();
  std::map<size_t, size_t> shared;
  for (auto& part : parts_of(std::string{text} + " " + lower(text))) // `GitHub` is github too
    if (auto at = by_word_.find(part); at != by_word_.end())
      for (auto n : at->second)
        ++shared[n];
  std::vector<std::pair<size_t, size_t>> best(shared.begin(), shared.end());
  std::stable_sort(best.begin(), best.end(), [](auto& a, auto& b) { return a.second > b.second; });
  for (auto& [n, words] : best)
    if (!named.contains(n) && added.contains(names_[n]))
      out.push_back(names_[n]);
  return out;
}

} // namespace catalog
