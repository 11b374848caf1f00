#include "tests/unit/support/tool_sets.hpp"

#include "catalog/tool_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <stdexcept>

namespace tool_sets {

namespace {

constexpr size_t recall_at = 5;

std::string text_of(const msg::document& object, std::string_view key) {
  auto* text = object.value().as_object().if_contains(key);
  return text && text->is_string() ? std::string{std::string_view{text->get_string()}} : std::string{};
}

void for_each_line(const std::string& path, const std::function<void(const msg::document&)>& use) {
  std::ifstream in{path};
  if (!in)
    throw std::runtime_error{"no file " + path};
  for (std::string line; std::getline(in, line);)
    use(msg::document::parse(line).value);
}

} // namespace

tool_set load(const std::string& folder, const std::string& name) {
  tool_set out;
  out.name = name;
  for_each_line(folder + "/" + name + "/tools.jsonl", [&](auto& tool) {
    auto server = text_of(tool, "server");
    out.servers[server].push_back(catalog::read_tool(text_of(tool, "name"), text_of(tool, "description"), tool));
    out.ids[server].push_back(text_of(tool, "id"));
  });
  for_each_line(folder + "/" + name + "/queries.jsonl", [&](auto& line) {
    query q{text_of(line, "query"), {}};
    for (auto& id : line.value().at("gold").as_array())
      q.gold.emplace_back(std::string_view{id.get_string()});
    out.queries.push_back(std::move(q));
  });
  return out;
}

tool_set among_all(const std::vector<tool_set>& sets, const tool_set& asked) {
  auto out = asked;
  for (auto& set : sets) {
    out.servers.insert(set.servers.begin(), set.servers.end());
    out.ids.insert(set.ids.begin(), set.ids.end());
  }
  return out;
}

tool_search::search_index index_of(const tool_set& set, const tool_search::weights& w) {
  tool_search::search_index index{w};
  for (auto& [server, tools] : set.servers)
    index.set_server(server, tools);
  index.build();
  return index;
}

recall measure(const tool_set& set, const tool_search::weights& w) {
  auto index = index_of(set, w);
  std::vector<std::string> ids; // the index numbers tools in order of server
  for (auto& [server, of_server] : set.ids)
    ids.insert(ids.end(), of_server.begin(), of_server.end());
  recall out;
  for (auto& q : set.queries) {
    auto answer = tool_search::search(index, {.text = q.text, .limit = recall_at});
    auto is_gold = [&](auto& hit) { return std::find(q.gold.begin(), q.gold.end(), ids[hit.tool]) != q.gold.end(); };
    auto share = 1.0 / static_cast<double>(q.gold.size() * set.queries.size());
    out.first += !answer.hits.empty() && is_gold(answer.hits.front()) ? share : 0;
    out.among_first += share * static_cast<double>(std::count_if(answer.hits.begin(), answer.hits.end(), is_gold));
    out.poor += answer.best == tool_search::fit::good ? 0 : 1.0 / static_cast<double>(set.queries.size());
  }
  return out;
}

} // namespace tool_sets
