#include "scores.hpp"

#include "actions.hpp"

#include <algorithm>
#include <tuple>

namespace tool_search {

namespace {

/// Of the stored impacts.
constexpr float impact_step = 1.0F / 255;

struct scored {
  float score;
  uint32_t tool;
};

/// Leaves the best `count`, in no order.
void keep_best(std::vector<scored>& all, size_t count) {
  if (all.size() <= count)
    return;
  auto comes_before = [](auto& a, auto& b) { return a.score != b.score ? a.score > b.score : a.tool < b.tool; };
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count - 1), all.end(), comes_before);
  all.resize(count); // the last is the worst
}

} // namespace

scores::scores(const search_index& index, meanings words)
  : words_(std::move(words)),
    scale_((index.numbers().saturation + 1) * impact_step),
    sums_(index.size()) {
  for (auto& m : words_.words)
    if (m.readings.size() == 1)
      add(index, m.readings.front(), m.weight);
    else
      add_best(index, m);
}

void scores::add(const search_index& index, const reading& r, float weight) {
  auto factor = gain(r, weight);
  for (auto p : index.postings(r.term))
    sums_[p.tool] += factor * static_cast<float>(p.impact);
}

/// Of several readings of a word, a tool gets what it gains most by.
void scores::add_best(const search_index& index, const meaning& m) {
  best_.resize(sums_.size());
  std::vector<uint32_t> changed;
  for (auto& r : m.readings) {
    auto factor = gain(r, m.weight);
    for (auto p : index.postings(r.term)) {
      auto score = factor * static_cast<float>(p.impact);
      if (auto& best = best_[p.tool]; score > best) {
        if (best == 0)
          changed.push_back(p.tool);
        sums_[p.tool] += score - best;
        best = score;
      }
    }
  }
  for (auto tool : changed)
    best_[tool] = 0;
}

size_t scores::touched() const {
  return static_cast<size_t>(std::count_if(sums_.begin(), sums_.end(), [](float s) { return s > 0; }));
}

std::vector<uint32_t> scores::best(size_t count) const {
  std::vector<scored> found;
  float worst = 0; // of the best so far: nearly every tool ends here
  for (uint32_t t = 0; t < sums_.size(); ++t) {
    if (sums_[t] <= worst)
      continue;
    found.push_back({sums_[t], t});
    if (found.size() == 2 * count) {
      keep_best(found, count);
      worst = found.back().score;
    }
  }
  keep_best(found, count);
  std::vector<uint32_t> out;
  out.reserve(found.size());
  for (auto& f : found)
    out.push_back(f.tool);
  return out;
}

closer_look::closer_look(const search_index& index, const scores& s) : index_(index), scores_(s) {
  for (auto& m : s.words().words)
    for (auto& r : m.readings) {
      asked_.push_back({r.term, std::min(r.share * m.weight, 1.0F)});
    }
  std::sort(asked_.begin(), asked_.end(),
            [](auto& a, auto& b) { return std::tie(a.term, b.share) < std::tie(b.term, a.share); });
  if (s.words().asked == no_action)
    return;
  for (auto& v : verbs())
    if (auto term = index.terms().find(v.stem); term != no_term)
      verbs_.push_back({term, v.kinds});
  std::sort(verbs_.begin(), verbs_.end(), [](auto& a, auto& b) { return a.term < b.term; });
}

float closer_look::operator()(uint32_t tool) const {
  auto sum = scores_.of(tool);
  if (sum <= 0)
    return 0;
  auto pairs = index_.pairs(tool);
  for (auto& p : scores_.words().pairs)
    if (std::binary_search(pairs.begin(), pairs.end(), p.hash))
      sum += index_.numbers().pair * p.value;
  sum *= 1 + index_.numbers().name * name_coverage(tool);
  sum *= 1 + action_bonus(tool);
  return has_only_the_verb(tool) ? sum * (1 - index_.numbers().bare_verb) : sum;
}

/// Of a tool that has some word of the question.
bool closer_look::has_only_the_verb(uint32_t tool) const {
  if (scores_.words().asked == no_action)
    return false;
  auto terms = index_.all_terms(tool);
  auto has = [&](auto& r) { return std::binary_search(terms.begin(), terms.end(), r.term); };
  return std::none_of(scores_.words().words.begin(), scores_.words().words.end(),
                      [&](auto& m) { return !m.is_verb && std::any_of(m.readings.begin(), m.readings.end(), has); });
}

/// By the verbs of its name; a name without any says nothing.
float closer_look::action_bonus(uint32_t tool) const {
  auto asked = scores_.words().asked;
  unsigned kinds = no_action;
  for (auto term : verbs_.empty() ? std::span<const term_id>{} : index_.name_terms(tool)) {
    auto at = std::lower_bound(verbs_.begin(), verbs_.end(), term, [](auto& v, term_id t) { return v.term < t; });
    for (; at != verbs_.end() && at->term == term; ++at)
      kinds |= at->kinds;
  }
  if (kinds == no_action)
    return 0;
  if ((kinds & asked) != 0)
    return index_.numbers().asked_action;
  auto terms = index_.all_terms(tool);
  auto is_said = [&](auto& v) {
    return (v.kinds & asked) != 0 && std::binary_search(terms.begin(), terms.end(), v.term);
  };
  return std::any_of(verbs_.begin(), verbs_.end(), is_said) ? 0 : -index_.numbers().other_action;
}

float closer_look::name_coverage(uint32_t tool) const {
  float all = 0, asked = 0;
  for (auto term : index_.name_terms(tool)) {
    all += index_.idf(term);
    auto at = std::lower_bound(asked_.begin(), asked_.end(), term, [](auto& a, term_id t) { return a.term < t; });
    if (at != asked_.end() && at->term == term)
      asked += at->share * index_.idf(term);
  }
  return all > 0 ? asked / all : 0;
}

} // namespace tool_search
