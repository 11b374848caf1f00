#include "catalog/rank.hpp"

#include "catalog/meaning.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace catalog {

namespace {

constexpr float impact_step = 1.0F / 255;
/// Less of the question than this in the best hit, by weight: it hardly fits.
constexpr float fit_share_min = 0.3F;
/// Tools of one name that have this much of their terms in common (of those that either has) are the same tool.
constexpr float same_share_min = 0.7F;
/// A shorter text is the beginning of too much.
constexpr size_t name_prefix_length_min = 2;

/// Scores of all tools for some words.
class scores {
public:
  scores(const search_index& index, meanings words)
    : words_(std::move(words)),
      sums_(index.size()),
      scale_((index.numbers().saturation + 1) * impact_step) {
    for (auto& m : words_.words)
      if (m.readings.size() == 1)
        add(index, m.readings.front(), m.weight);
      else
        add_best(index, m);
  }

  const meanings& words() const { return words_; }
  float of(uint32_t tool) const { return sums_[tool]; }
  size_t touched() const {
    return static_cast<size_t>(std::count_if(sums_.begin(), sums_.end(), [](float s) { return s > 0; }));
  }
  void drop(uint32_t tool) { sums_[tool] = 0; }

  /// The best `count` tools, in no order.
  std::vector<uint32_t> best(size_t count) const {
    std::vector<uint32_t> found;
    for (uint32_t t = 0; t < sums_.size(); ++t)
      if (sums_[t] > 0)
        found.push_back(t);
    if (found.size() > count) {
      auto middle = found.begin() + static_cast<std::ptrdiff_t>(count);
      std::nth_element(found.begin(), middle, found.end(), [&](auto a, auto b) { return std::tie(sums_[b], a) < std::tie(sums_[a], b); });
      found.resize(count);
    }
    return found;
  }

private:
  float gain(const reading& r, float weight) const { return weight * r.value * scale_; }

  void add(const search_index& index, const reading& r, float weight) {
    auto factor = gain(r, weight);
    for (auto p : index.postings(r.term))
      sums_[p.tool] += factor * static_cast<float>(p.impact);
  }

  /// Of several readings of a word, a tool gets what it gains most by.
  void add_best(const search_index& index, const meaning& m) {
    if (best_.empty())
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

  meanings words_;
  std::vector<float> sums_;
  float scale_;
  std::vector<float> best_; // all zero between words
};

/// What only a closer look at a tool tells: neighbouring words, and how much of the name was asked for.
class closer_look {
public:
  closer_look(const search_index& index, const scores& s) : index_(index), scores_(s) {
    for (auto& m : s.words().words)
      for (auto& r : m.readings) {
        auto& share = share_[r.term];
        share = std::max(share, std::min(r.share * m.weight, 1.0F));
      }
  }

  float operator()(uint32_t tool) const {
    auto sum = scores_.of(tool);
    if (sum <= 0)
      return 0;
    for (auto& p : scores_.words().pairs)
      if (index_.has_pair(tool, p.first, p.second))
        sum += index_.numbers().pair * p.value;
    return sum * (1 + index_.numbers().name * name_coverage(tool));
  }

private:
  float name_coverage(uint32_t tool) const {
    float all = 0, asked = 0;
    for (auto term : index_.name_terms(tool)) {
      all += index_.idf(term);
      if (auto at = share_.find(term); at != share_.end())
        asked += at->second * index_.idf(term);
    }
    return all > 0 ? asked / all : 0;
  }

  const search_index& index_;
  const scores& scores_;
  std::unordered_map<term_id, float> share_;
};

class ranking {
public:
  ranking(const search_index& index, const search_request& request) : index_(index), request_(request) { read(); }

  search_answer answer() {
    search_answer out;
    if (groups_.empty())
      return out;
    out.matching = groups_.front().touched();
    auto hits = look_closely();
    name_matches(hits);
    sort(hits);
    out.best = fit_of(hits);
    out.hits = without_duplicates(hits);
    return out;
  }

private:
  /// The first group is the whole question; the others, if there are several, its sentences.
  void read() {
    auto sentences = read_question(request_.text, index_.numbers());
    sentence whole;
    for (auto& s : sentences)
      whole.insert(whole.end(), s.begin(), s.end());
    if (whole.empty())
      return;
    groups_.emplace_back(index_, understand(index_, whole));
    if (sentences.size() > 1)
      for (auto& s : sentences)
        groups_.emplace_back(index_, understand(index_, s));
    if (request_.allowed || !request_.server.empty())
      drop_forbidden();
  }

  void drop_forbidden() {
    for (uint32_t t = 0; t < index_.size(); ++t)
      if (!may_be_found(t))
        for (auto& g : groups_)
          g.drop(t);
  }

  bool may_be_found(uint32_t tool) const {
    if (request_.allowed && !(*request_.allowed)[tool])
      return false;
    return request_.server.empty() || index_.server_of(tool) == request_.server;
  }

  std::vector<uint32_t> candidates() const {
    std::vector<uint32_t> out;
    for (auto& g : groups_) {
      auto best = g.best(&g == &groups_.front() ? candidates_max : sentence_candidates_max);
      out.insert(out.end(), best.begin(), best.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  std::vector<hit> look_closely() const {
    std::vector<hit> hits;
    for (auto tool : candidates())
      hits.push_back({tool});
    std::vector<float> sentences(hits.size());
    for (size_t g = groups_.size(); g-- > 0;) {
      closer_look look{index_, groups_[g]};
      float best = 0;
      for (auto& h : hits) {
        h.score = look(h.tool);
        best = std::max(best, h.score);
      }
      if (g == 0)
        mix(hits, sentences, best);
      else
        for (size_t i = 0; i < hits.size() && best > 0; ++i)
          sentences[i] = std::max(sentences[i], hits[i].score / best);
    }
    prefer_named_servers(hits);
    return hits;
  }

  /// A tool that is best for one sentence of several is worth as much as the one that is best for all of them.
  void mix(std::vector<hit>& hits, const std::vector<float>& sentences, float best) const {
    auto share = index_.numbers().sentence;
    if (groups_.size() > 1)
      for (size_t i = 0; i < hits.size(); ++i)
        hits[i].score = (1 - share) * hits[i].score + share * best * sentences[i];
  }

  bool is_named(size_t server) const {
    auto& words = groups_.front().words().words;
    auto is_said = [&](term_id t) { return std::any_of(words.begin(), words.end(), [&](auto& m) { return m.own == t; }); };
    auto& terms = index_.server_terms(server);
    return !terms.empty() && std::all_of(terms.begin(), terms.end(), is_said);
  }

  void prefer_named_servers(std::vector<hit>& hits) const {
    std::unordered_map<size_t, bool> named;
    for (auto& h : hits) {
      auto [at, is_new] = named.try_emplace(index_.server_number(h.tool));
      if (is_new)
        at->second = is_named(at->first);
      if (at->second)
        h.score *= 1 + index_.numbers().named_server;
    }
  }

  /// Tools that the text is the name of, or the beginning of the name: also those that no word of it leads to.
  void name_matches(std::vector<hit>& hits) const {
    auto wanted = skeleton(request_.text);
    if (wanted.size() < name_prefix_length_min)
      return;
    auto add = [&, known = hits.size()](uint32_t tool) {
      auto at = std::lower_bound(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(known), tool, [](auto& h, auto t) { return h.tool < t; });
      bool is_known = at != hits.begin() + static_cast<std::ptrdiff_t>(known) && at->tool == tool;
      auto& h = is_known ? *at : hits.emplace_back(hit{tool});
      h.name = skeleton(index_.name_of(tool)).size() == wanted.size() ? name_match::exact : name_match::prefix;
    };
    auto found = index_.names_beginning_with(wanted);
    for (size_t i = 0; i < std::min(found.size(), candidates_max); ++i)
      if (may_be_found(found[i]))
        add(found[i]);
    for (auto& h : hits)
      if (auto full = skeleton(index_.server_of(h.tool)) + skeleton(index_.name_of(h.tool)); wanted == full || wanted == "mcp" + full)
        h.name = name_match::exact;
  }

  static void sort(std::vector<hit>& hits) {
    std::sort(hits.begin(), hits.end(), [](auto& a, auto& b) { return std::tie(b.name, b.score, a.tool) < std::tie(a.name, a.score, b.tool); });
  }

  fit fit_of(const std::vector<hit>& hits) const {
    if (hits.empty())
      return fit::nothing;
    if (hits.front().name != name_match::none)
      return fit::good;
    auto terms = index_.all_terms(hits.front().tool);
    float all = 0, found = 0;
    for (auto& m : groups_.front().words().words) {
      float best = 0;
      for (auto& r : m.readings)
        if (std::binary_search(terms.begin(), terms.end(), r.term))
          best = std::max(best, r.value);
      all += m.weight * m.value;
      found += m.weight * best;
    }
    return found < fit_share_min * all ? fit::poor : fit::good;
  }

  bool are_same(uint32_t a, uint32_t b) const {
    if (index_.server_number(a) == index_.server_number(b) || skeleton(index_.name_of(a)) != skeleton(index_.name_of(b)))
      return false;
    std::vector<term_id> common;
    auto x = index_.all_terms(a), y = index_.all_terms(b);
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
    return static_cast<float>(common.size()) >= same_share_min * static_cast<float>(x.size() + y.size() - common.size());
  }

  std::vector<hit> without_duplicates(std::vector<hit>& hits) const {
    std::vector<hit> out;
    for (auto& h : hits) {
      auto same = std::find_if(out.begin(), out.end(), [&](auto& kept) { return are_same(kept.tool, h.tool); });
      if (same != out.end())
        same->same.push_back(h.tool);
      else if (request_.limit == 0 || out.size() < request_.limit)
        out.push_back(std::move(h));
    }
    return out;
  }

  const search_index& index_;
  const search_request& request_;
  std::vector<scores> groups_;
};

} // namespace

search_answer search(const search_index& index, const search_request& request) { return ranking{index, request}.answer(); }

} // namespace catalog
