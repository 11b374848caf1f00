#include "proxy/name_patterns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace proxy {

namespace {

constexpr size_t gram_size = 3;
/// So many patterns are tried sooner than looked up.
constexpr size_t tried_all_max = 8;

uint32_t gram_at(std::string_view text, size_t i) {
  auto byte = [&](size_t k) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i + k])); };
  return byte(0) | byte(1) << 8U | byte(2) << 16U;
}

/// 14 bits of it.
uint32_t sieve_place(uint32_t gram) { return (gram * 2'654'435'761U) >> 18U; }

/// Calls `f` with each three characters that stand in a row between two stars.
template <class F>
void for_each_gram(std::string_view pattern, F f) {
  for (size_t i = 0; i + gram_size <= pattern.size(); ++i)
    if (pattern.substr(i, gram_size).find('*') == std::string_view::npos)
      f(gram_at(pattern, i));
}

/// How many patterns ask for a gram, roughly: some share a place.
class gram_counts {
public:
  explicit gram_counts(const std::vector<std::string_view>& patterns) : counts_(size_t{1} << 14U) {
    for (auto p : patterns)
      for_each_gram(p, [&](auto gram) { ++counts_[sieve_place(gram)]; });
  }

  std::optional<uint32_t> rarest_of(std::string_view pattern) const {
    std::optional<uint32_t> rarest;
    auto least = std::numeric_limits<uint32_t>::max();
    for_each_gram(pattern, [&](auto gram) {
      if (auto count = counts_[sieve_place(gram)]; count < least) {
        least = count;
        rarest = gram;
      }
    });
    return rarest;
  }

private:
  std::vector<uint32_t> counts_;
};

/// Where `piece` ends at its first place in `text`; npos: it is not there. In time linear in the text.
size_t end_of_first(std::string_view piece, std::string_view text) {
  auto* found = static_cast<const char*>(::memmem(text.data(), text.size(), piece.data(), piece.size()));
  return found ? static_cast<size_t>(found - text.data()) + piece.size() : text.npos;
}

} // namespace

bool matches(std::string_view pattern, std::string_view name) {
  auto star = pattern.find('*');
  if (star == pattern.npos)
    return pattern == name;
  auto last = pattern.rfind('*');
  auto before = pattern.substr(0, star), behind = pattern.substr(last + 1);
  if (name.size() < before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
    return false;
  name = name.substr(before.size(), name.size() - before.size() - behind.size());
  while (star < last) { // the first place of a piece leaves the most for those behind it
    auto next = pattern.find('*', star + 1);
    if (auto piece = pattern.substr(star + 1, next - star - 1); !piece.empty()) {
      auto end = end_of_first(piece, name);
      if (end == name.npos)
        return false;
      name.remove_prefix(end);
    }
    star = next;
  }
  return true;
}

size_t bytes_of_those_with_stars(const std::vector<std::string>& patterns) {
  size_t bytes = 0;
  for (auto& p : patterns)
    bytes += p.find('*') == p.npos ? 0 : p.size();
  return bytes;
}

name_patterns::name_patterns(const std::vector<std::string_view>& patterns) {
  std::vector<std::string_view> wild;
  for (auto p : patterns)
    if (p.find('*') == p.npos)
      exact_.emplace(p);
    else if (p.find_first_not_of('*') == p.npos)
      everything_ = true;
    else
      wild.push_back(p);
  if (everything_)
    return;
  if (wild.size() <= tried_all_max) {
    wild_ = {wild.begin(), wild.end()};
    without_gram_ = wild_.size();
    return;
  }
  gram_counts counts{wild};
  std::vector<std::pair<uint32_t, std::string_view>> keyed;
  for (auto p : wild)
    if (auto gram = counts.rarest_of(p))
      keyed.emplace_back(*gram, p);
    else
      wild_.emplace_back(p);
  without_gram_ = wild_.size();
  std::sort(keyed.begin(), keyed.end());
  for (auto& [gram, p] : keyed) {
    by_gram_.emplace_back(gram, static_cast<uint32_t>(wild_.size()));
    wild_.emplace_back(p);
    auto place = sieve_place(gram);
    sieve_[place / 64] |= uint64_t{1} << place % 64;
  }
}

bool name_patterns::match(std::string_view name) const {
  if (everything_ || exact_.contains(name))
    return true;
  for (size_t i = 0; i < without_gram_; ++i)
    if (matches(wild_[i], name))
      return true;
  return !by_gram_.empty() && has_gram_of(name);
}

/// Each gram counts once, however often the name has it.
bool name_patterns::has_gram_of(std::string_view name) const {
  std::vector<uint32_t> grams;
  for (size_t i = 0; i + gram_size <= name.size(); ++i) {
    auto gram = gram_at(name, i);
    auto place = sieve_place(gram);
    bool may_be_there = (sieve_[place / 64] >> place % 64 & 1U) != 0;
    if (may_be_there && (grams.empty() || grams.back() != gram))
      grams.push_back(gram);
  }
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  for (auto gram : grams)
    for (auto at = std::lower_bound(by_gram_.begin(), by_gram_.end(), std::pair{gram, uint32_t{0}});
         at != by_gram_.end() && at->first == gram; ++at)
      if (matches(wild_[at->second], name))
        return true;
  return false;
}

} // namespace proxy
