#include "tool_search/search_index.hpp"

#include "deprecation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tool_search {

namespace {

/// Bits for each field in `counts`: more occurrences than fit add next to nothing.
constexpr std::array<unsigned, field_count> count_bits{3, 2, 4, 3, 4};
constexpr float impact_steps = 255;
/// A term that no word can be, not even a mistyped one: tools that call themselves deprecated have it.
constexpr std::string_view deprecated_mark = "\x01\x02\x03\x04 deprecated \x04\x03\x02\x01";

constexpr unsigned shift_of(size_t f) {
  unsigned shift = 0;
  for (size_t i = 0; i < f; ++i)
    shift += count_bits[i];
  return shift;
}

constexpr unsigned most_of(size_t f) { return (1U << count_bits[f]) - 1; }

unsigned count_in(uint16_t counts, size_t f) { return (unsigned{counts} >> shift_of(f)) & most_of(f); }

bool says_what_it_does(uint16_t counts) {
  return count_in(counts, static_cast<size_t>(field::name)) + count_in(counts, static_cast<size_t>(field::description))
         > 0;
}

} // namespace

std::span<const posting> search_index::deprecated() const { return postings(terms_.find(deprecated_mark)); }

uint32_t pair_hash(term_id first, term_id second) {
  return (first * 0x9e3779b1U) ^ (second * 0x85ebca6bU + (second >> 13U));
}

void search_index::reading::add(const tool_text& tool) {
  how_often_.clear();
  pairs_.clear();
  extent end;
  std::vector<term_id> names;
  read_field(field::name, tool.name, end);
  names.swap(unique_);
  read_field(field::server, server_, end);
  if (words_ < server_words_max) {
    read_field(field::description, tool.description, end);
    read_field(field::parameter_names, tool.parameter_names, end);
    read_field(field::parameter_descriptions, tool.parameter_descriptions, end);
  }
  if (calls_itself_deprecated(tool.description))
    how_often_.try_emplace(index_.terms_.add(deprecated_mark), counts{0});
  store(tool, names, end);
}

void search_index::reading::read_field(field which, std::string_view text, extent& end) {
  auto f = static_cast<size_t>(which);
  auto last = no_term;
  size_t length = 0;
  unique_.clear();
  for (auto& w : words_of(text)) {
    auto term = index_.term_of(w.text);
    count(term, f);
    if (w.is_whole)
      continue;
    if (++length == field_words_max)
      break;
    unique_.push_back(term);
    bool pairs_up = which == field::name || (which == field::description && !is_filler(w.text));
    if (pairs_up && last != no_term)
      pairs_.push_back(pair_hash(last, term));
    if (pairs_up)
      last = term;
  }
  words_ += length;
  std::sort(unique_.begin(), unique_.end());
  unique_.erase(std::unique(unique_.begin(), unique_.end()), unique_.end());
  end.words[f] = static_cast<uint16_t>(length);
}

void search_index::reading::count(term_id term, size_t f) {
  auto& counts = how_often_[term];
  if (count_in(counts, f) < most_of(f))
    counts = static_cast<uint16_t>(counts + (1U << shift_of(f)));
}

void search_index::reading::store(const tool_text& tool, const std::vector<term_id>& names, extent& end) {
  for (auto& [term, counts] : how_often_) {
    to_.terms.push_back(term);
    to_.how_often.push_back(counts);
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  to_.pairs.insert(to_.pairs.end(), pairs_.begin(), pairs_.end());
  to_.name_terms.insert(to_.name_terms.end(), names.begin(), names.end());
  to_.names += tool.name;
  end.terms_end = static_cast<uint32_t>(to_.terms.size());
  end.names_end = static_cast<uint32_t>(to_.name_terms.size());
  end.pairs_end = static_cast<uint32_t>(to_.pairs.size());
  end.name_end = static_cast<uint32_t>(to_.names.size());
  to_.tools.push_back(end);
}

search_index::part search_index::reading::finish() {
  for (auto& w : words_of(server_))
    if (!w.is_whole && w.text != "mcp" && w.text != "server")
      to_.server_terms.push_back(index_.term_of(w.text));
  to_.terms.shrink_to_fit();
  to_.how_often.shrink_to_fit();
  to_.pairs.shrink_to_fit();
  return std::move(to_);
}

term_id search_index::term_of(const std::string& word) {
  auto [at, is_new] = term_of_word_.try_emplace(word, no_term);
  if (is_new)
    at->second = terms_.add(stemmer_.stem(word));
  return at->second;
}

void search_index::set_server(const std::string& server, const std::vector<tool_text>& tools) {
  reading read{*this, server};
  for (auto& tool : tools)
    read.add(tool);
  set_server(std::move(read));
}

void search_index::set_server(reading&& tools) { parts_[tools.server_] = tools.finish(); }

void search_index::remove_server(const std::string& server) { parts_.erase(server); }

void search_index::build() {
  term_of_word_.clear();
  terms_.prepare();
  give_numbers();
  sort_names();
  count_postings();
  fill_postings();
}

void search_index::give_numbers() {
  servers_.clear();
  places_.clear();
  for (auto at = parts_.cbegin(); at != parts_.cend(); ++at) {
    auto number = static_cast<uint32_t>(servers_.size());
    servers_.push_back(at);
    for (uint32_t t = 0; t < at->second.tools.size() && places_.size() < tools_max; ++t)
      places_.push_back({number, t});
  }
}

void search_index::sort_names() {
  std::vector<std::pair<std::string, uint32_t>> names;
  names.reserve(size());
  for (uint32_t tool = 0; tool < size(); ++tool)
    names.emplace_back(skeleton(name_of(tool)), tool);
  std::sort(names.begin(), names.end());
  by_name_.clear();
  for (auto& [name, tool] : names)
    by_name_.push_back(tool);
}

void search_index::count_postings() {
  std::vector<uint32_t> all(terms_.size()), told(terms_.size());
  for (uint32_t tool = 0; tool < size(); ++tool) {
    auto& p = part_of(tool);
    for (auto i = before(tool).terms_end; i < end_of(tool).terms_end; ++i) {
      ++all[p.terms[i]];
      told[p.terms[i]] += says_what_it_does(p.how_often[i]);
    }
  }
  auto rarity = [n = static_cast<float>(size())](uint32_t tools) {
    auto d = static_cast<float>(tools);
    return std::log(1 + (n - d + 0.5F) / (d + 0.5F));
  };
  rarest_ = rarity(0);
  idf_.resize(terms_.size());
  for (term_id t = 0; t < idf_.size(); ++t)
    idf_[t] = rarity(told[t]);
  ends_.resize(terms_.size());
  std::partial_sum(all.begin(), all.end(), ends_.begin());
}

std::array<float, field_count> search_index::average_words() const {
  std::array<float, field_count> sum{};
  for (uint32_t tool = 0; tool < size(); ++tool)
    for (size_t f = 0; f < field_count; ++f)
      sum[f] += static_cast<float>(end_of(tool).words[f]);
  for (auto& s : sum)
    s = std::max(s / static_cast<float>(std::max<size_t>(size(), 1)), 1e-6F);
  return sum;
}

void search_index::fill_postings() {
  auto average = average_words();
  postings_.assign(ends_.empty() ? 0 : ends_.back(), {});
  std::vector<uint32_t> next(ends_.size());
  if (!ends_.empty())
    std::copy(ends_.begin(), std::prev(ends_.end()), std::next(next.begin()));
  for (uint32_t tool = 0; tool < size(); ++tool) {
    auto& p = part_of(tool);
    for (auto i = before(tool).terms_end; i < end_of(tool).terms_end; ++i) {
      auto steps = std::lround(impact_steps * impact(end_of(tool), p.how_often[i], average));
      postings_[next[p.terms[i]]++] = {tool, static_cast<uint8_t>(steps)};
    }
  }
}

float search_index::impact(const extent& tool, counts how_often, const std::array<float, field_count>& average) const {
  float tf = 0;
  for (size_t f = 0; f < field_count; ++f)
    if (auto n = count_in(how_often, f); n > 0)
      tf += weights_.fields[f] * static_cast<float>(n)
            / (1 - weights_.length + weights_.length * static_cast<float>(tool.words[f]) / average[f]);
  return tf / (weights_.saturation + tf);
}

search_index::extent search_index::before(uint32_t tool) const {
  auto at = places_[tool].tool;
  return at == 0 ? extent{} : part_of(tool).tools[at - 1];
}

std::pair<uint32_t, uint32_t> search_index::tools_of(const std::string& server) const {
  auto at =
    std::lower_bound(servers_.begin(), servers_.end(), server, [](auto& s, auto& name) { return s->first < name; });
  if (at == servers_.end() || (*at)->first != server)
    return {0, 0};
  auto number = static_cast<uint32_t>(at - servers_.begin());
  auto first = std::lower_bound(places_.begin(), places_.end(), number, [](auto& p, uint32_t n) { return p.part < n; });
  auto last = std::upper_bound(first, places_.end(), number, [](uint32_t n, auto& p) { return n < p.part; });
  return {static_cast<uint32_t>(first - places_.begin()), static_cast<uint32_t>(last - first)};
}

std::string_view search_index::name_of(uint32_t tool) const {
  auto from = before(tool).name_end;
  return std::string_view{part_of(tool).names}.substr(from, end_of(tool).name_end - from);
}

size_t search_index::unused_terms() const {
  size_t n = 0;
  for (term_id t = 0; t < ends_.size(); ++t)
    n += postings(t).empty();
  return n;
}

std::span<const posting> search_index::postings(term_id term) const {
  if (term >= ends_.size())
    return {};
  auto from = term == 0 ? 0 : ends_[term - 1];
  return {postings_.data() + from, ends_[term] - from};
}

std::span<const term_id> search_index::name_terms(uint32_t tool) const {
  auto from = before(tool).names_end;
  return {part_of(tool).name_terms.data() + from, end_of(tool).names_end - from};
}

std::span<const uint32_t> search_index::names_beginning_with(std::string_view wanted) const {
  auto head = [&](uint32_t tool) { return skeleton(name_of(tool)).substr(0, wanted.size()); };
  auto begin =
    std::lower_bound(by_name_.begin(), by_name_.end(), wanted, [&](uint32_t t, auto w) { return head(t) < w; });
  auto end = std::upper_bound(begin, by_name_.end(), wanted, [&](auto w, uint32_t t) { return w < head(t); });
  return {begin, end};
}

std::span<const term_id> search_index::all_terms(uint32_t tool) const {
  auto from = before(tool).terms_end;
  return {part_of(tool).terms.data() + from, end_of(tool).terms_end - from};
}

std::span<const uint32_t> search_index::pairs(uint32_t tool) const {
  auto from = before(tool).pairs_end;
  return {part_of(tool).pairs.data() + from, end_of(tool).pairs_end - from};
}

} // namespace tool_search
