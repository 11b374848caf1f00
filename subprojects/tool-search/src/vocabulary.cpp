#include "tool_search/vocabulary.hpp"

#include "text/nearest.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace tool_search {

namespace {

constexpr size_t slots_min = 1'024;

/// Which letters there are: two words with very different ones cannot be a typing error apart.
uint32_t letters_of(std::string_view text) {
  uint32_t bits = 0;
  for (char c : text)
    bits |= 1U << (static_cast<unsigned char>(c) & 31U);
  return bits;
}

/// Has `bits` at most so many ones? Cheaper than counting them, where the processor of a portable build does not count.
bool has_at_most(uint32_t bits, size_t ones) {
  for (; bits != 0 && ones > 0; --ones)
    bits &= bits - 1;
  return bits == 0;
}

struct guess {
  size_t distance;
  term_id term;
};

std::vector<term_id> first_of(std::vector<guess>& guesses) {
  std::sort(guesses.begin(), guesses.end(),
            [](auto& a, auto& b) { return std::tie(a.distance, a.term) < std::tie(b.distance, b.term); });
  guesses.resize(std::min(guesses.size(), guesses_max));
  std::vector<term_id> out;
  out.reserve(guesses.size());
  for (auto& g : guesses)
    out.push_back(g.term);
  return out;
}

} // namespace

vocabulary::vocabulary() : slots_(slots_min, no_term) {}

std::string_view vocabulary::text(term_id term) const {
  auto begin = term == 0 ? 0 : ends_[term - 1];
  return std::string_view{texts_}.substr(begin, ends_[term] - begin);
}

size_t vocabulary::slot_of(std::string_view wanted) const {
  auto mask = slots_.size() - 1;
  auto at = std::hash<std::string_view>{}(wanted)&mask;
  while (slots_[at] != no_term && text(slots_[at]) != wanted)
    at = (at + 1) & mask;
  return at;
}

term_id vocabulary::find(std::string_view wanted) const { return slots_[slot_of(wanted)]; }

term_id vocabulary::add(std::string_view added) {
  auto at = slot_of(added);
  if (slots_[at] != no_term)
    return slots_[at];
  auto term = static_cast<term_id>(ends_.size());
  texts_ += added;
  ends_.push_back(static_cast<uint32_t>(texts_.size()));
  slots_[at] = term;
  if (ends_.size() * 2 > slots_.size())
    find_slots();
  return term;
}

void vocabulary::find_slots() {
  slots_.assign(std::max(slots_min, std::bit_ceil(ends_.size() * 2)), no_term);
  for (term_id t = 0; t < ends_.size(); ++t)
    slots_[slot_of(text(t))] = t;
}

void vocabulary::prepare() {
  if (sorted_.size() == size())
    return;
  for (auto t = static_cast<term_id>(sorted_.size()); t < size(); ++t) {
    sorted_.push_back(t);
    letters_.push_back(letters_of(text(t)));
  }
  std::sort(sorted_.begin(), sorted_.end(), [&](auto a, auto b) { return text(a) < text(b); });
}

std::vector<term_id> vocabulary::beginning_with(std::string_view wanted) const {
  std::vector<guess> found;
  if (wanted.size() < prefix_length_min)
    return {};
  auto at = std::lower_bound(sorted_.begin(), sorted_.end(), wanted,
                             [&](term_id t, std::string_view w) { return text(t) < w; });
  for (; at != sorted_.end() && text(*at).starts_with(wanted); ++at)
    found.push_back({text(*at).size(), *at});
  return first_of(found);
}

std::vector<term_id> vocabulary::near(std::string_view wanted, size_t length) const {
  if (length < typo_length_min)
    return {};
  const size_t bound = length < two_typos_length_min ? 1 : 2;
  const auto letters = letters_of(wanted);
  std::vector<guess> found;
  for (term_id t = 0; t < letters_.size(); ++t) {
    if (!has_at_most(letters_[t] ^ letters, 2 * bound))
      continue;
    auto candidate = text(t);
    if (candidate.size() + bound < wanted.size() || candidate.size() > wanted.size() + bound
        || candidate.size() < typo_length_min)
      continue;
    if (auto distance = text::edit_distance(wanted, candidate, bound); distance <= bound)
      found.push_back({distance, t});
  }
  return first_of(found);
}

} // namespace tool_search
