#include "proxy/tool_search.hpp"

#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <algorithm>
#include <cctype>

namespace proxy {

namespace {

// How much a hit counts: the name says what a tool is, the description says what it is about.
constexpr double name_weight = 4.0;
constexpr double server_weight = 2.0;
constexpr double description_weight = 1.0;
// How much of it a hit that is not the whole word gets.
constexpr double prefix_share = 0.6;
constexpr double typo_share = 0.4;
/// The query is the tool's name: nothing beats it.
constexpr double exact_name_bonus = 100.0;
/// Shorter words differ by one letter and mean something else.
constexpr size_t typo_length_min = 4;

double similarity(std::string_view wanted, std::string_view word) {
  if (wanted == word)
    return 1.0;
  if (wanted.size() >= 3 && (word.starts_with(wanted) || (word.size() >= 3 && wanted.starts_with(word))))
    return prefix_share;
  if (wanted.size() >= typo_length_min && edit_distance(wanted, word, 1) <= 1)
    return typo_share;
  return 0;
}

double best_similarity(std::string_view wanted, const std::vector<std::string>& words) {
  double best = 0;
  for (auto& w : words)
    best = std::max(best, similarity(wanted, w));
  return best;
}

double score(const msg::tool_info& tool, const std::vector<std::string>& wanted, std::string_view whole_text) {
  auto name = words_of(tool.name), server = words_of(tool.server), description = words_of(tool.description);
  double sum = 0, hits = 0;
  for (auto& word : wanted) {
    auto s = name_weight * best_similarity(word, name) + server_weight * best_similarity(word, server)
             + description_weight * best_similarity(word, description);
    sum += s;
    hits += s > 0;
  }
  if (whole_text == tool.name || whole_text == full_name(tool.server, tool.name))
    sum += exact_name_bonus;
  return wanted.empty() ? 0 : sum * hits / static_cast<double>(wanted.size()); // all words beat one word twice
}

struct ranked {
  double score;
  const msg::tool_info* tool;
};

bool comes_before(const ranked& a, const ranked& b) {
  if (a.score != b.score)
    return a.score > b.score;
  return std::tie(a.tool->server, a.tool->name) < std::tie(b.tool->server, b.tool->name);
}

} // namespace

std::vector<std::string> words_of(std::string_view text) {
  enum class type { other, lower, upper, digit };
  auto type_of = [](unsigned char c) {
    if (c >= 0x80 || std::islower(c))
      return type::lower;
    return std::isupper(c) ? type::upper : std::isdigit(c) ? type::digit : type::other;
  };
  std::vector<std::string> words;
  auto last = type::other;
  for (size_t i = 0; i < text.size(); ++i) {
    auto now = type_of(static_cast<unsigned char>(text[i]));
    bool acronym_ends =
      now == type::upper && last == type::upper && i + 1 < text.size() && type_of(static_cast<unsigned char>(text[i + 1])) == type::lower;
    bool begins = now != type::other && (last == type::other || acronym_ends || (now != last && !(last == type::upper && now == type::lower)));
    if (begins)
      words.emplace_back();
    if (now != type::other)
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    last = now;
  }
  return words;
}

msg::tool_matches search(const std::vector<const msg::tool_list*>& lists, const msg::tool_query& query) {
  auto wanted = words_of(query.text);
  std::vector<ranked> found;
  for (auto* list : lists)
    for (auto& tool : *list) {
      if ((!query.server.empty() && tool.server != query.server) || !allows(query.allowed, full_name(tool.server, tool.name)))
        continue;
      auto s = score(tool, wanted, query.text);
      if (s > 0 || wanted.empty())
        found.push_back({s, &tool});
    }
  std::sort(found.begin(), found.end(), comes_before);
  msg::tool_matches out;
  out.total = static_cast<uint32_t>(found.size());
  auto n = query.limit == 0 ? found.size() : std::min<size_t>(query.limit, found.size());
  for (size_t i = 0; i < n; ++i)
    out.tools.push_back(*found[i].tool);
  return out;
}

std::vector<std::string> named_servers(std::string_view text, const std::vector<std::string>& servers) {
  auto words = words_of(text);
  std::string lower;
  for (char c : text)
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  auto whole = words_of(lower); // `GitHub` is github too
  words.insert(words.end(), whole.begin(), whole.end());
  std::vector<std::string> out;
  for (auto& server : servers) {
    auto parts = words_of(server);
    auto is_said = [&](auto& part) { return std::find(words.begin(), words.end(), part) != words.end(); };
    if (text == server || (!parts.empty() && std::all_of(parts.begin(), parts.end(), is_said)))
      out.push_back(server);
  }
  return out;
}

} // namespace proxy
