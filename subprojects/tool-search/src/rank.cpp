#include "tool_search/rank.hpp"

#include "meaning.hpp"
#include "scores.hpp"
#include "succession.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tool_search {

namespace {

/// Less of the question than this in the best hit, by weight: it hardly fits.
constexpr float fit_share_min = 0.25F;
/// Tools of one name that have this much of their terms in common (of those that either has) are the same tool.
constexpr float same_share_min = 0.7F;
/// A shorter text is the beginning of too much.
constexpr size_t name_prefix_length_min = 2;

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
    prefer_successors(index_, hits);
    sort(hits);
    out.best = fit_of(hits);
    out.hits = without_duplicates(hits);
    return out;
  }

private:
  /// The first group is the whole question; the others, if there are several, its sentences.
  void read() {
    std::vector<meanings> sentences;
    for (auto& s : read_question(request_.text, index_.numbers()))
      sentences.push_back(understand(index_, s));
    if (sentences.empty())
      return;
    groups_.emplace_back(index_, together(sentences));
    if (sentences.size() > 1)
      for (auto& s : sentences)
        groups_.emplace_back(index_, std::move(s));
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
    auto is_said = [&](term_id t) {
      return std::any_of(words.begin(), words.end(), [&](auto& m) { return m.own == t; });
    };
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
      auto at = std::lower_bound(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(known), tool,
                                 [](auto& h, auto t) { return h.tool < t; });
      bool is_known = at != hits.begin() + static_cast<std::ptrdiff_t>(known) && at->tool == tool;
      auto& h = is_known ? *at : hits.emplace_back(hit{tool});
      h.name = skeleton(index_.name_of(tool)).size() == wanted.size() ? name_match::exact : name_match::prefix;
    };
    auto found = index_.names_beginning_with(wanted);
    for (size_t i = 0; i < std::min(found.size(), candidates_max); ++i)
      if (may_be_found(found[i]))
        add(found[i]);
    for (auto& h : hits)
      if (is_full_name(wanted, h.tool))
        h.name = name_match::exact;
  }

  /// Server and tool, as in `github.create_issue` and `mcp__github__create_issue`.
  bool is_full_name(std::string_view wanted, uint32_t tool) const {
    auto name = skeleton(index_.name_of(tool));
    if (!wanted.ends_with(name))
      return false;
    auto server = skeleton(index_.server_of(tool));
    wanted.remove_suffix(name.size());
    return wanted == server || wanted == "mcp" + server;
  }

  static void sort(std::vector<hit>& hits) {
    std::sort(hits.begin(), hits.end(), [](auto& a, auto& b) {
      return std::tie(b.name, b.score, a.is_deprecated, a.tool) < std::tie(a.name, a.score, b.is_deprecated, b.tool);
    });
  }

  fit fit_of(const std::vector<hit>& hits) const {
    if (hits.empty())
      return fit::nothing;
    auto is_covered = [&](auto& group) { return found_share(hits.front().tool, group.words()) >= fit_share_min; };
    bool is_good = hits.front().name != name_match::none || std::any_of(groups_.begin(), groups_.end(), is_covered);
    return is_good ? fit::good : fit::poor;
  }

  /// How much of what was asked for the tool has, by rarity.
  float found_share(uint32_t tool, const meanings& asked) const {
    auto terms = index_.all_terms(tool);
    float all = 0, found = 0;
    for (auto& m : asked.words) {
      float best = 0;
      for (auto& r : m.readings)
        if (std::binary_search(terms.begin(), terms.end(), r.term))
          best = std::max(best, r.value);
      all += m.weight * m.value;
      found += m.weight * best;
    }
    return all > 0 ? found / all : 0;
  }

  /// Of two tools with the same name.
  bool are_same(uint32_t a, uint32_t b) const {
    if (index_.server_number(a) == index_.server_number(b))
      return false;
    std::vector<term_id> common;
    auto x = index_.all_terms(a), y = index_.all_terms(b);
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
    return static_cast<float>(common.size())
           >= same_share_min * static_cast<float>(x.size() + y.size() - common.size());
  }

  std::vector<hit> without_duplicates(std::vector<hit>& hits) const {
    std::vector<hit> out;
    std::unordered_map<std::string, std::vector<size_t>> by_name; // places in `out`
    for (auto& h : hits) {
      auto& namesakes = by_name[skeleton(index_.name_of(h.tool))];
      auto same =
        std::find_if(namesakes.begin(), namesakes.end(), [&](size_t i) { return are_same(out[i].tool, h.tool); });
      if (same != namesakes.end()) {
        out[*same].same.push_back(h.tool);
      } else if (request_.limit == 0 || out.size() < request_.limit) {
        namesakes.push_back(out.size());
        out.push_back(std::move(h));
      }
    }
    return out;
  }

  const search_index& index_;
  const search_request& request_;
  std::vector<scores> groups_;
};

} // namespace

search_answer search(const search_index& index, const search_request& request) {
  return ranking{index, request}.answer();
}

} // namespace tool_search
