// Measures the tool search: how often it finds what was meant, what each part of the ranking is worth, and how long it
// takes among 23,000 tools. Prints one JSON object; bench/rows/tool_search.py makes rows of it.
//
//     tool_search FOLDER [--ablation | --bars]
//
// FOLDER is bench/data/tool-search. With --bars nothing is timed, and the exit code is 1 if a set falls below its bar.
#include "catalog/rank.hpp"
#include "catalog/tool_text.hpp"
#include "messages/json_parse.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;

constexpr size_t made_up_tools = 23'000;
constexpr size_t made_up_tools_per_server = 12;
constexpr size_t recall_at = 5;
/// A question is timed so often, and the fastest counts: others use the machine too.
constexpr size_t timings = 3;
/// Of the words of made-up tools, one in so many is a word that no other tool has.
constexpr unsigned own_word_every = 12;

struct query {
  std::string text;
  std::vector<std::string> gold;
};

/// A set, and the least share of the gold among the first five and in the first place.
struct bar {
  const char* set;
  double r5, r1;
};
constexpr bar bars[] = {{"azure", 0.97, 0.80}, {"sealtools", 0.84, 0.43}, {"mcpproxy45", 0.75, 0.50}};

struct test_set {
  std::string name;
  std::map<std::string, std::vector<catalog::tool_text>> servers;
  std::map<std::string, std::vector<std::string>> ids; ///< in the order of `servers`
  std::vector<query> queries;
};

std::string text_of(const json::value& v, std::string_view key) {
  auto* text = v.as_object().if_contains(key);
  return text && text->is_string() ? std::string{std::string_view{text->get_string()}} : std::string{};
}

void for_each_line(const std::string& path, const std::function<void(const msg::document&)>& use) {
  std::ifstream in{path};
  if (!in)
    throw std::runtime_error{"no file " + path};
  for (std::string line; std::getline(in, line);)
    use(msg::document::parse(line).value);
}

test_set load(const std::string& folder, const std::string& name) {
  test_set out;
  out.name = name;
  for_each_line(folder + "/" + name + "/tools.jsonl", [&](auto& tool) {
    auto server = text_of(tool.value(), "server");
    out.servers[server].push_back(catalog::read_tool(text_of(tool.value(), "name"), text_of(tool.value(), "description"), tool));
    out.ids[server].push_back(text_of(tool.value(), "id"));
  });
  for_each_line(folder + "/" + name + "/queries.jsonl", [&](auto& line) {
    query q{text_of(line.value(), "query"), {}};
    for (auto& id : line.value().at("gold").as_array())
      q.gold.emplace_back(std::string_view{id.get_string()});
    out.queries.push_back(std::move(q));
  });
  return out;
}

catalog::search_index index_of(const test_set& set, const catalog::weights& w) {
  catalog::search_index index{w};
  for (auto& [server, tools] : set.servers)
    index.set_server(server, tools);
  index.build();
  return index;
}

/// Share of the gold that is among the first tools, over all queries.
json::object recall(const test_set& set, const catalog::weights& w) {
  auto index = index_of(set, w);
  std::vector<std::string> ids;
  for (auto& [server, of_server] : set.ids)
    ids.insert(ids.end(), of_server.begin(), of_server.end());
  double first = 0, among_first = 0, poor = 0;
  for (auto& q : set.queries) {
    auto answer = catalog::search(index, {.text = q.text, .limit = recall_at});
    auto is_gold = [&](auto& hit) { return std::find(q.gold.begin(), q.gold.end(), ids[hit.tool]) != q.gold.end(); };
    auto share = 1.0 / static_cast<double>(q.gold.size());
    first += !answer.hits.empty() && is_gold(answer.hits.front()) ? share : 0;
    among_first += share * static_cast<double>(std::count_if(answer.hits.begin(), answer.hits.end(), is_gold));
    poor += answer.best != catalog::fit::good;
  }
  auto n = static_cast<double>(set.queries.size());
  return {{"r1", first / n}, {"r5", among_first / n}, {"poor", poor / n}};
}

/// Questions of one set put to the tools of another: how often the search says that nothing fits well.
double poor_share(const test_set& asked, const test_set& of) {
  auto index = index_of(of, {});
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
  explicit tool_maker(const std::vector<test_set>& sets) {
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

json::object measure_many(const std::vector<test_set>& sets) {
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

json::object recalls(const std::vector<test_set>& sets, const catalog::weights& w) {
  json::object out;
  for (auto& set : sets)
    out[set.name] = recall(set, w);
  return out;
}

bool meets_bars(const json::object& measured) {
  return std::all_of(std::begin(bars), std::end(bars), [&](auto& b) {
    auto& of_set = measured.at(b.set).as_object();
    return of_set.at("r5").as_double() >= b.r5 && of_set.at("r1").as_double() >= b.r1;
  });
}

int run(const std::vector<std::string>& arguments) {
  std::vector<test_set> sets;
  for (auto& b : bars)
    sets.push_back(load(arguments.at(0), b.set));
  auto has = [&](auto* option) { return std::find(arguments.begin(), arguments.end(), option) != arguments.end(); };
  json::object out;
  for (auto& v : variants) {
    catalog::weights w;
    v.change(w);
    out[v.name] = recalls(sets, w);
    if (!has("--ablation"))
      break;
  }
  if (!has("--bars")) {
    out["foreign questions called poor"] = {{"sealtools to azure", poor_share(sets[1], sets[0])},
                                            {"azure to mcpproxy45", poor_share(sets[0], sets[2])}};
    out["made up"] = measure_many(sets);
  }
  std::printf("%s\n", json::serialize(out).c_str());
  return has("--bars") && !meets_bars(out.at(variants[0].name).as_object());
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
