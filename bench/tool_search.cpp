// Measures the tool search: how often it finds what was meant, what each part of the ranking is worth, and how long it
// takes among 23,000 tools. Prints one JSON object; bench/rows/tool_search.py makes rows of it.
//
//     tool_search FOLDER [--ablation]
//     tool_search FOLDER --make STATE      makes a catalog of 23,000 tools in the folder STATE
//     tool_search FOLDER --open STATE      opens it as a server does that starts, and asks it
//
// FOLDER is bench/data/tool-search.
#include "catalog/catalog.hpp"
#include "tests/unit/support/tool_sets.hpp"
#include "tool_search/rank.hpp"

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
#include <sstream>
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
    poor += tool_search::search(index, {.text = q.text}).best != tool_search::fit::good;
  return poor / static_cast<double>(asked.queries.size());
}

struct variant {
  std::string_view name;
  void (*change)(tool_search::weights& w);
};

void leave_verbs_alone(tool_search::weights& w) { w.asked_action = w.other_action = w.bare_verb = 0; }

void leave_only_bm25f(tool_search::weights& w) {
  w.value = w.context = 1;
  w.synonym = w.same_action = w.joined = w.pair = w.name = w.sentence = w.named_server = 0;
  leave_verbs_alone(w);
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
  {"without what verbs ask for", leave_verbs_alone},
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
  {"other action 0.4", [](auto& w) { w.other_action = 0.4F; }},
  {"asked action 0.2", [](auto& w) { w.asked_action = 0.2F; }},
  {"bare verb 0.6", [](auto& w) { w.bare_verb = 0.6F; }},
  {"deprecated counts like the rest", [](auto& w) { w.deprecated = 0; }},
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
  using servers = std::map<std::string, std::vector<tool_search::tool_text>>;
  servers make() {
    servers out;
    for (size_t i = 0; i < made_up_tools; ++i) {
      auto server = real_[(i / made_up_tools_per_server * made_up_tools_per_server) % real_.size()].first + " "
                    + std::to_string(i / made_up_tools_per_server);
      auto tool = real_[i % real_.size()].second;
      if (i >= real_.size()) {
        tool.name += "_" + made_up_word();
        tool.description = changed(tool.description);
      }
      out[server].push_back(std::move(tool));
    }
    return out;
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
    for (auto& w : tool_search::words_of(text))
      out += (random_() % own_word_every == 0 ? made_up_word() : w.text) + " ";
    return out;
  }

  std::vector<std::pair<std::string, tool_search::tool_text>> real_;
  std::mt19937 random_{1};
};

double resident_megabytes() {
  malloc_trim(0);
  std::ifstream in{"/proc/self/statm"};
  size_t all = 0, resident = 0;
  in >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double milliseconds_since(clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

template <class Ask>
json::object time_questions(const tool_sets::tool_set& set, Ask ask) {
  std::vector<double> samples;
  for (auto& q : set.queries) {
    double fastest = 1e9;
    for (size_t i = 0; i < timings; ++i) {
      auto begin = clock::now();
      ask(q.text);
      fastest = std::min(fastest, milliseconds_since(begin));
    }
    samples.push_back(fastest);
  }
  std::sort(samples.begin(), samples.end());
  return {{"p50_ms", samples[samples.size() / 2]},
          {"p99_ms", samples[samples.size() * 99 / 100]},
          {"max_ms", samples.back()}};
}

json::object measure_many(const std::vector<tool_sets::tool_set>& sets) {
  tool_maker maker{sets};
  auto before = resident_megabytes();
  tool_search::search_index index;
  auto begin = clock::now();
  for (auto& [server, tools] : maker.make())
    index.set_server(server, tools);
  index.build();
  auto build_ms = milliseconds_since(begin);
  auto megabytes = resident_megabytes() - before;
  begin = clock::now();
  index.build();
  auto update_ms = milliseconds_since(begin);
  json::object out{{"tools", index.size()},
                   {"terms", index.terms().size()},
                   {"megabytes", megabytes},
                   {"build_ms", build_ms},
                   {"update_ms", update_ms}};
  for (auto& set : sets)
    out[set.name] = time_questions(set, [&](auto& text) { tool_search::search(index, {.text = text}); });
  return out;
}

// ---- a catalog on disk --------------------------------------------------------------------------

msg::document definition_of(const tool_search::tool_text& tool) {
  json::object properties;
  std::istringstream names{tool.parameter_names}, descriptions{tool.parameter_descriptions};
  for (std::string name, description; std::getline(names, name); description.clear()) {
    std::getline(descriptions, description);
    properties[name] = json::object{{"type", "string"}, {"description", description}};
  }
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  return msg::document{
    json::object{{"name", tool.name}, {"description", tool.description}, {"inputSchema", std::move(schema)}}};
}

catalog::may_use everything_goes(const msg::tool_filter&) {
  return [](auto&, auto) { return true; };
}

std::vector<msg::server_entry> entries(const std::string& state) {
  std::vector<msg::server_entry> out;
  std::ifstream in{state + "/servers.txt"};
  for (std::string name; std::getline(in, name);)
    out.emplace_back().name = name;
  return out;
}

json::object make_catalog(const std::vector<tool_sets::tool_set>& sets, const std::string& state) {
  auto made = tool_maker{sets}.make();
  {
    std::ofstream names{state + "/servers.txt"};
    for (auto& [server, tools] : made)
      names << server << "\n";
  }
  catalog::tool_catalog all{state, entries(state), everything_goes};
  auto begin = clock::now();
  size_t count = 0;
  for (auto& [server, texts] : made) {
    msg::tool_list tools;
    for (auto& t : texts)
      tools.push_back({server, t.name, t.description, definition_of(t)});
    count += tools.size();
    all.update(server, tools);
  }
  auto stored_ms = milliseconds_since(begin);
  begin = clock::now();
  auto problem = all.save();
  return {
    {"tools", count}, {"stored_ms", stored_ms}, {"saved_ms", milliseconds_since(begin)}, {"problem", problem.message}};
}

/// Before anything else was done in this process: what a server that starts does, and is.
json::object open_catalog(const std::string& state) {
  auto servers = entries(state);
  auto begin = clock::now();
  catalog::tool_catalog all{state, servers, everything_goes};
  auto found = search_to_the_end(all, {"create an issue", "", 10, {}});
  auto open_ms = milliseconds_since(begin);
  begin = clock::now();
  search_to_the_end(all, {"create an issue", "", 10, {}});
  return {{"open_ms", open_ms},
          {"first_search_again_ms", milliseconds_since(begin)},
          {"found", found.matches.tools.size()},
          {"megabytes", resident_megabytes()}};
}

json::object measure_catalog(const std::vector<tool_sets::tool_set>& sets, const std::string& state) {
  catalog::tool_catalog all{state, entries(state), everything_goes};
  json::object out;
  for (auto& set : sets)
    out[set.name] = time_questions(set, [&](auto& text) { search_to_the_end(all, {text, "", 10, {}}); });
  return out;
}

json::object recalls(const std::vector<tool_sets::tool_set>& sets, const tool_search::weights& w) {
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

std::vector<tool_sets::tool_set> load_sets(const std::string& folder) {
  std::vector<tool_sets::tool_set> sets;
  for (auto& b : tool_sets::bars)
    sets.push_back(tool_sets::load(folder, b.set));
  return sets;
}

int run_on_disk(const std::vector<std::string>& arguments) {
  json::object out;
  if (arguments.at(1) == "--open") {
    out["opened"] = open_catalog(arguments.at(2));
    out["asked"] = measure_catalog(load_sets(arguments.at(0)), arguments.at(2));
  } else {
    out["made"] = make_catalog(load_sets(arguments.at(0)), arguments.at(2));
  }
  std::printf("%s\n", json::serialize(out).c_str());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3)
    return run_on_disk(arguments);
  auto sets = load_sets(arguments.at(0));
  bool is_ablation = std::find(arguments.begin(), arguments.end(), "--ablation") != arguments.end();
  json::object recall;
  for (auto& v : variants) {
    tool_search::weights w;
    v.change(w);
    recall[v.name] = recalls(sets, w);
    if (!is_ablation)
      break;
  }
  recall["all sets in one catalogue"] = recalls_among_all(sets);
  json::object poor{{"sealtools to azure", poor_share(sets[1], sets[0])},
                    {"azure to mcpproxy45", poor_share(sets[0], sets[2])}};
  json::object out{
    {"bars", bars()}, {"recall", recall}, {"foreign questions called poor", poor}, {"many tools", measure_many(sets)}};
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
