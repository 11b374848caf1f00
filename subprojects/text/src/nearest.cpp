#include "text/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace text {

namespace {

/// Letters of one text times letters of the other, of all that are compared: 2 ms.
constexpr size_t comparisons_max = 500'000;

} // namespace

std::string skeleton(std::string_view name) {
  std::string out;
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || byte >= 0x80)
      out += static_cast<char>(std::tolower(byte));
  }
  return out;
}

size_t edit_distance(std::string_view a, std::string_view b, size_t bound) {
  if (a.size() > b.size())
    std::swap(a, b);
  if (b.size() - a.size() > bound)
    return bound + 1;
  std::vector<size_t> before(a.size() + 1), last(a.size() + 1), now(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i)
    last[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    now[0] = j;
    auto least = now[0];
    for (size_t i = 1; i <= a.size(); ++i) {
      now[i] = std::min({last[i] + 1, now[i - 1] + 1, last[i - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[i] = std::min(now[i], before[i - 2] + 1);
      least = std::min(least, now[i]);
    }
    if (least > bound)
      return bound + 1;
    before.swap(last);
    last.swap(now);
  }
  return std::min(last[a.size()], bound + 1);
}

std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string_view>& names, size_t count) {
  struct candidate {
    size_t rank, distance; ///< what has it as a part ranks as if it were near, behind those that are
    std::string_view name;
  };
  std::vector<candidate> found;
  if (wanted.size() > nearest_bytes_max)
    return {};
  auto bare = skeleton(wanted);
  size_t compared = 0;
  for (auto name : names) {
    compared += wanted.size() + 1; // also what is too long costs a look
    if (compared > comparisons_max)
      break;
    if (name.size() > nearest_bytes_max)
      continue;
    compared += wanted.size() * name.size();
    auto other = skeleton(name);
    auto bound = std::max<size_t>(2, bare.size() / 3);
    auto distance = edit_distance(bare, other, bound);
    bool contained =
      !bare.empty() && !other.empty() && (other.find(bare) != other.npos || bare.find(other) != bare.npos);
    if (distance <= bound || contained)
      found.push_back({contained ? std::min(distance, bound) : distance, distance, name});
  }
  std::stable_sort(found.begin(), found.end(), [](auto& x, auto& y) {
    return std::pair{x.rank, x.distance} < std::pair{y.rank, y.distance};
  });
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(count, found.size()); ++i)
    out.emplace_back(found[i].name);
  return out;
}

} // namespace text
