// How long compiling and validating take, as JSON: bench_schema FILE... with a tool per line: {"inputSchema": {...}}
#include "json_schema/schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
using clock_type = std::chrono::steady_clock;

constexpr int rounds = 50;
constexpr size_t depth_max = 12;

/// Arguments that the schema is likely to allow: every property, two items each.
json::value example_of(const json::value& schema, size_t depth) {
  auto* members = schema.if_object();
  if (!members || depth > depth_max)
    return nullptr;
  if (auto* values = members->if_contains("enum"); values && values->is_array() && !values->get_array().empty())
    return values->get_array()[0];
  if (auto* any = members->if_contains("anyOf"); any && any->is_array() && !any->get_array().empty())
    return example_of(any->get_array()[0], depth + 1);
  auto* type = members->if_contains("type");
  std::string_view name = type && type->is_string() ? std::string_view{type->get_string()} : "";
  if (name == "object") {
    json::object out;
    auto* properties = members->if_contains("properties");
    if (properties && properties->is_object())
      for (auto& [key, inner] : properties->get_object())
        out[key] = example_of(inner, depth + 1);
    return out;
  }
  if (name == "array") {
    auto* items = members->if_contains("items");
    auto one = items ? example_of(*items, depth + 1) : json::value(1);
    return json::array{one, one};
  }
  return name == "string"    ? json::value("some text")
         : name == "boolean" ? json::value(true)
         : name.empty()      ? json::value("x")
                             : json::value(7);
}

template <class Run>
double microseconds(Run run) {
  auto best = clock_type::duration::max();
  for (int i = 0; i < rounds; ++i) {
    auto begin = clock_type::now();
    run();
    best = std::min(best, clock_type::now() - begin);
  }
  return std::chrono::duration<double, std::micro>(best).count();
}

json::object percentiles(std::vector<double>& all) {
  std::sort(all.begin(), all.end());
  auto at = [&](double part) { return all[static_cast<size_t>(part * static_cast<double>(all.size() - 1))]; };
  return {{"p50_us", at(0.5)}, {"p99_us", at(0.99)}, {"largest_us", at(1)}};
}

struct measured {
  std::vector<double> compiling, validating, complaining;
  size_t refused = 0, mistaken = 0, invalid = 0;

  void add(const json::value& document) {
    json_schema::compile_options lenient;
    lenient.mistaken = json_schema::mistakes::ignored;
    auto compiled = json_schema::compile(document, lenient);
    if (!std::holds_alternative<json_schema::schema>(compiled)) {
      ++refused;
      return;
    }
    auto schema = std::get<json_schema::schema>(compiled);
    compiling.push_back(microseconds([&] { compiled = json_schema::compile(document, lenient); }));
    mistaken += schema.ignored().empty() ? 0 : 1;
    auto arguments = example_of(document, 0);
    invalid += schema.is_valid(arguments) ? 0 : 1;
    validating.push_back(microseconds([&] { (void)schema.validate(arguments); }));
    json::value wrong = json::object{{"unknown_name", 1}};
    complaining.push_back(microseconds([&] { (void)schema.validate(wrong); }));
  }
};

} // namespace

int main(int count, char** files) {
  measured all;
  for (int i = 1; i < count; ++i) {
    std::ifstream in{files[i]};
    for (std::string line; std::getline(in, line);)
      all.add(json::parse(line).at("inputSchema"));
  }
  if (all.compiling.empty())
    return 1;
  json::object out{{"schemas", all.compiling.size()},
                   {"refused", all.refused},
                   {"with_mistakes", all.mistaken},
                   {"invalid_examples", all.invalid}};
  out["compile"] = percentiles(all.compiling);
  out["validate"] = percentiles(all.validating);
  out["complain"] = percentiles(all.complaining);
  std::cout << json::serialize(out) << "\n";
  return 0;
}
