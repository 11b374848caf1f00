// Measures the tool search: how often it finds what was meant, what each part of the ranking is worth, and how long it
// takes among 23,000 tools. Prints one JSON object; bench/rows/tool_search.py makes rows of it.
//
//     tool_search FOLDER [--ablation]
//
// FOLDER is bench/data/tool-search.
#include "catalog/rank.hpp"
#include "tests/unit/support/tool_sets.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;

constexpr size_t made_up_tools = 23'000;
constexpr size_t made_up_tools_per_server = 12;
/// A question is timed so often, and the fastest counts: others use the machine too.
constexpr size_t timings = 3;
/// Of the words of made-up tools, one in so many is a word that no other tool has.
constexpr unsigned own_word_every = 12;

/// Questions of one set put to the tools of another: how often the search says that nothing fits well.
double poor_share(const tool_sets::tool_set& asked, const tool_sets::tool_set& of) {
  auto index = tool_sets::index_of(of);
  double poor = 0;
  for (auto& q : asked.queries)
    poor += catalog::search(index, {.text = q.text}).best != catalog::fit::good;
  return poor / static_cast<double>(asked.queries.size());
}

struct variant {
  std::string_view name;
  void (*change)(catalog::weights& w);
};

void leave_only_bm25f(catalog::weights& w) {
  w.value = w.context = 1;
  w.synonym = w.joined = w.pair = w.name = w.sentence = w.named_server = 0;
}

constexpr variant variants[] = {
  {"all", [](auto&) {}},
  {"BM25F only", leave_only_bm25f},
  {"BM25 of name and description only",
   [](auto& w) {
     leave_only_bm25f(w), w.fields = {1, 0, 1, 0, 0};
   }},
  {"without synonyms", [](auto& w) { w.synonym = 0; }},
  {"without joined words", [](auto& w) { w.joined = 0; }},
  {"without pairs of words", [](auto& w) { w.pair = 0; }},
  {"without the share of the name", [](auto& w) { w.name = 0; }},
  {"without sentences", [](auto& w) { w.sentence = 0; }},
  {"values count like words", [](auto& w) { w.value = 1; }},
  {"context counts like the rest", [](auto& w) { w.context = 1; }},
  {"without named servers", [](auto& w) { w.named_server = 0; }},
  {"named servers doubled", [](auto& w) { w.named_server = 1; }},
  {"without parameters", [](auto& w) { w.fields[3] = w.fields[4] = 0; }},
  {"parameters like descriptions", [](auto& w) { w.fields[3] = w.fields[4] = 1; }},
  {"name 2", [](auto& w) { w.fields[0] = 2; }},
  {"name 5", [](auto& w) { w.fields[0] = 5; }},
  {"server 0", [](auto& w) { w.fields[1] = 0; }},
  {"b 0.25", [](auto& w) { w.length = 0.25F; }},
  {"b 0.75", [](auto& w) { w.length = 0.75F; }},
  {"k1 2", [](auto& w) { w.saturation = 2; }},
  {"synonyms 1", [](auto& w) { w.synonym = 1; }},
  {"name share 1", [](auto& w) { w.name = 1; }},
  {"pairs 1", [](auto& w) { w.pair = 1; }},
};

// ---- 23,000 tools -------------------------------------------------------------------------------

/// Like a big catalogue: the texts are real ones with some words that only one tool has, over many servers.
class tool_maker {
public:
  explicit tool_maker(const std::vector<tool_sets::tool_set>& sets) {
    for (auto& set : sets)
      for (auto& [server, tools] : set.servers)
        for (auto& tool : tools)
          real_.push_back({server, tool});
  }
  void fill(catalog::search_index& index) {
    std::map<std::string, std::vector<catalog::tool_text>> servers;
    for (size_t i = 0; i < made_up_tools; ++i) {
      auto server =
        real_[(i / made_up_tools_per_server * made_up_tools_per_server) % real_.size()].first + " " + std::to_string(i / made_up_tools_per_server);
      auto tool = real_[i % real_.size()].second;
      if (i >= real_.size()) {
        tool.name += "_" + made_up_word();
        tool.description = changed(tool.description);
      }
      servers[server].push_back(std::move(tool));
    }
    for (auto& [server, tools] : servers)
      index.set_server(server, tools);
    index.build();
  }

private:
  std::string made_up_word() {
    std::string out;
    for (size_t i = 0; i < 3; ++i) {
      out += "bdfgklmnprstvz"[random_() % 14];
      out += "aeiou"[random_() % 5];
    }
    return out;
  }
  std::string changed(const std::string& text) {
    std::string out;
    for (auto& w : catalog::words_of(text))
      out += (random_() % own_word_every == 0 ? made_up_word() : w.text) + " ";
    return out;
  }

  std::vector<std::pair<std::string, catalog::tool_text>> real_;
  std::mt19937 random_{1};
};

double resident_megabytes() {
  malloc_trim(0);
  std::ifstream in{"/proc/self/statm"};
  size_t all = 0, resident = 0;
  in >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double milliseconds_since(clock::time_point begin) { return std::chrono::duration<double, std::milli>(clock::now() - begin).count(); }

json::object measure_many(const std::vector<tool_sets::tool_set>& sets) {
  tool_maker maker{sets};
  auto before = resident_megabytes();
  catalog::search_index index;
  auto begin = clock::now();
  maker.fill(index);
  auto build_ms = milliseconds_since(begin);
  auto megabytes = resident_megabytes() - before;
  begin = clock::now();
  index.build();
  auto update_ms = milliseconds_since(begin);
  json::object out{
    {"tools", index.size()}, {"terms", index.terms().size()}, {"megabytes", megabytes}, {"build_ms", build_ms}, {"update_ms", update_ms}};
  for (auto& set : sets) {
    std::vector<double> samples;
    for (auto& q : set.queries) {
      double fastest = 1e9;
      for (size_t i = 0; i < timings; ++i) {
        begin = clock::now();
        catalog::search(index, {.text = q.text});
        fastest = std::min(fastest, milliseconds_since(begin));
      }
      samples.push_back(fastest);
    }
    std::sort(samples.begin(), samples.end());
    out[set.name] = {{"p50_ms", samples[samples.size() / 2]}, {"p99_ms", samples[samples.size() * 99 / 100]}, {"max_ms", samples.back()}};
  }
  return out;
}

json::object recalls(const std::vector<tool_sets::tool_set>& sets, const catalog::weights& w) {
  json::object out;
  for (auto& set : sets) {
    auto measured = tool_sets::measure(set, w);
    out[set.name] = {{"r5", measured.among_first}, {"r1", measured.first}, {"poor", measured.poor}};
  }
  return out;
}

/// Each set's questions, put to the tools of all sets at once.
json::object recalls_among_all(const std::vector<tool_sets::tool_set>& sets) {
  std::vector<tool_sets::tool_set> all;
  all.reserve(sets.size());
  for (auto& set : sets)
    all.push_back(tool_sets::among_all(sets, set));
  return recalls(all, {});
}

json::object bars() {
  json::object out;
  for (auto& b : tool_sets::bars)
    out[b.set] = {{"r5", b.among_first}, {"r1", b.first}};
  return out;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<tool_sets::tool_set> sets;
  for (auto& b : tool_sets::bars)
    sets.push_back(tool_sets::load(arguments.at(0), b.set));
  bool is_ablation = std::find(arguments.begin(), arguments.end(), "--ablation") != arguments.end();
  json::object recall;
  for (auto& v : variants) {
    catalog::weights w;
    v.change(w);
    recall[v.name] = recalls(sets, w);
    if (!is_ablation)
      break;
  }
  recall["all sets in one catalogue"] = recalls_among_all(sets);
  json::object poor{{"sealtools to azure", poor_share(sets[1], sets[0])}, {"azure to mcpproxy45", poor_share(sets[0], sets[2])}};
  json::object out{{"bars", bars()}, {"recall", recall}, {"foreign questions called poor", poor}, {"many tools", measure_many(sets)}};
  std::printf("%s\n", json::serialize(out).c_str());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tool_search: %s\n", e.what());
    return 1;
  }
}
