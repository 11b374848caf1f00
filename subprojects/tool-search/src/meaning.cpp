#include "meaning.hpp"

#include "actions.hpp"
#include "synonyms.hpp"

#include <algorithm>

namespace tool_search {

namespace {

/// Parts that a word written together is split into.
constexpr size_t split_length_min = 2;
constexpr size_t split_first_length_min = 3;

/// The word with this term of its own; the end if there is none, or no term.
auto find_own(std::vector<meaning>& words, term_id own) {
  return std::find_if(words.begin(), words.end(), [&](auto& m) { return own != no_term && m.own == own; });
}

class interpreter {
public:
  explicit interpreter(const search_index& index) : index_(index), terms_(index.terms()), numbers_(index.numbers()) {}

  meanings read(const sentence& words) {
    const question_word* last = nullptr;
    for (auto& w : words) {
      if (!w.is_whole || numbers_.joined > 0)
        add(w.text, w.weight);
      if (w.is_whole)
        continue;
      if (last)
        pair(*last, w);
      last = &w;
    }
    return std::move(out_);
  }

private:
  std::string stem(const std::string& text) const { return index_.stems().stem(text); }

  void add(const std::string& text, float weight) {
    auto stemmed = stem(text);
    auto term = terms_.find(stemmed);
    if (auto known = find_own(out_.words, term); known != out_.words.end()) {
      known->weight = std::max(known->weight, weight);
      return;
    }
    if (term == no_term && numbers_.joined > 0 && add_parts(stemmed, weight))
      return;
    meaning m{term, weight, index_.idf(term), false, {}};
    if (term != no_term)
      m.readings.push_back({term, 1, m.value});
    for (auto& synonym : synonyms_of(stemmed))
      if (auto other = terms_.find(synonym); numbers_.synonym > 0 && other != no_term)
        m.readings.push_back({other, numbers_.synonym, numbers_.synonym * std::min(m.value, index_.idf(other))});
    read_verb(m, stemmed);
    if (m.readings.empty())
      guess(m, text, stemmed);
    out_.words.push_back(std::move(m));
  }

  /// The first verb of a sentence says what is asked for. If no tool has it, others for the same kind of thing stand
  /// for it.
  void read_verb(meaning& m, const std::string& stemmed) {
    auto kinds = action_of(stemmed);
    m.is_verb = kinds != no_action;
    if (m.is_verb && out_.asked == no_action)
      out_.asked = kinds;
    if (m.is_verb && m.readings.empty() && numbers_.same_action > 0)
      for (auto& v : verbs())
        if (auto term = (v.kinds & kinds) != 0 ? terms_.find(v.stem) : no_term; term != no_term)
          m.readings.push_back({term, numbers_.same_action, numbers_.same_action * index_.idf(term)});
  }

  /// `cosmosdb` is `cosmos` and `db`, if both are known.
  bool add_parts(const std::string& stemmed, float weight) {
    for (auto n = split_first_length_min; n + split_length_min <= stemmed.size(); ++n) {
      auto head = stemmed.substr(0, n), tail = stemmed.substr(n);
      if (terms_.find(head) == no_term || terms_.find(tail) == no_term)
        continue;
      for (auto& part : {head, tail})
        out_.words.push_back({terms_.find(part),
                              weight,
                              index_.idf(terms_.find(part)),
                              false,
                              {{terms_.find(part), 1, index_.idf(terms_.find(part))}}});
      return true;
    }
    return false;
  }

  /// Terms are stems, so a typing error near the end of a word may be nearer as it was written. The `e` of `crate`
  /// stays where that of `create` goes.
  void guess(meaning& m, const std::string& text, const std::string& stemmed) const {
    auto found = terms_.beginning_with(stemmed);
    if (found.empty())
      found = terms_.near(text, text.size());
    if (found.empty() && stemmed != text)
      found = terms_.near(stemmed, text.size());
    if (found.empty() && stemmed == text && text.ends_with('e'))
      found = terms_.near(text.substr(0, text.size() - 1), text.size());
    for (auto term : found)
      m.readings.push_back({term, numbers_.guess, numbers_.guess * index_.idf(term)});
  }

  void pair(const question_word& a, const question_word& b) {
    auto weight = std::min(a.weight, b.weight);
    if (numbers_.joined > 0 && terms_.find(stem(a.text + b.text)) != no_term)
      add(a.text + b.text, weight * numbers_.joined);
    auto first = terms_.find(stem(a.text)), second = terms_.find(stem(b.text));
    if (first != no_term && second != no_term)
      out_.pairs.push_back({pair_hash(first, second), weight * std::min(index_.idf(first), index_.idf(second))});
  }

  const search_index& index_;
  const vocabulary& terms_;
  const weights& numbers_;
  meanings out_;
};

} // namespace

meanings together(const std::vector<meanings>& sentences) {
  meanings out;
  for (auto& s : sentences) {
    for (auto& m : s.words)
      if (auto known = find_own(out.words, m.own); known != out.words.end())
        known->weight = std::max(known->weight, m.weight);
      else
        out.words.push_back(m);
    out.pairs.insert(out.pairs.end(), s.pairs.begin(), s.pairs.end());
    out.asked |= s.asked;
  }
  return out;
}

meanings understand(const search_index& index, const sentence& words) { return interpreter{index}.read(words); }

} // namespace tool_search
