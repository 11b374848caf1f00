// What the tests of signatures share: tools, hostile schemas, and a look at what was printed.
#pragma once

#include "messages/tool_call.hpp"
#include "tests/unit/support/sanitizers.hpp"
#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// What one hostile schema may take, on a machine that does other things as well: a hundredth of it is usual. Not
/// optimized and with a sanitizer it is some ten times as much.
#ifdef WITH_ADDRESS_SANITIZER
inline constexpr std::chrono::seconds hostile_schema_time_max{20};
#else
inline constexpr std::chrono::seconds hostile_schema_time_max{2};
#endif

inline msg::tool_info tool(const std::string& name, const std::string& definition, const std::string& doc_text = "") {
  return {"s", name, doc_text, doc(definition)};
}

/// Outside of comments and string literals: every bracket is closed by its own kind, and every literal ends.
inline bool is_balanced(std::string_view text) {
  std::string open;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n')
      return false;
    if (text.substr(i).starts_with("/*")) {
      auto end = text.find("*/", i + 2);
      if (end == text.npos)
        return false;
      i = end + 1;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      if (i >= text.size())
        return false;
    } else if (c == '(' || c == '{' || c == '[') {
      open += c;
    } else if (c == ')' || c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == ')' ? '(' : c == '}' ? '{' : '['))
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

/// Deep, wide, circular and all of it at once.
inline std::vector<boost::json::value> hostile_schemas() {
  namespace json = boost::json;
  std::vector<json::value> out;
  json::value deep = json::object{{"type", "string"}};
  for (int i = 0; i < 150; ++i)
    deep = json::object{{"type", "array"}, {"items", deep}};
  out.push_back(deep);
  json::array many;
  for (int i = 0; i < 50'000; ++i)
    many.push_back(json::string{"value " + std::to_string(i)});
  out.push_back(json::object{{"enum", many}});
  out.push_back(json::object{{"required", many}, {"type", "object"}});
  json::object wide, chain, all, docs;
  for (int i = 0; i < 3'000; ++i)
    wide["name" + std::to_string(i)] =
      json::object{{"anyOf", json::array{json::object{{"$ref", "#"}}, json::object{{"type", "number"}}}}};
  out.push_back(json::object{{"type", "object"}, {"properties", wide}});
  // each is made of the next one, and of itself
  for (int i = 0; i < 3'000; ++i) {
    auto next = "#/$defs/d" + std::to_string(i + 1), same = "#/$defs/d" + std::to_string(i);
    json::array refs{json::object{{"$ref", next}}, json::object{{"$ref", next}}, json::object{{"$ref", same}}};
    chain["d" + std::to_string(i)] = json::object{{i % 2 ? "allOf" : "anyOf", refs},
                                                  {"properties", json::object{{"p", json::object{{"$ref", next}}}}}};
    all["d" + std::to_string(i)] =
      json::object{{"allOf", json::array{json::object{{"$ref", next}}, json::object{{"properties", wide}}}}};
    if (i == 5)
      wide.clear();
    docs["name" + std::to_string(i)] =
      json::object{{"description", std::string(1'000, '"')}, {"const", std::string(190, 'x')}};
  }
  out.push_back(json::object{{"$ref", "#/$defs/d0"}, {"$defs", chain}});
  out.push_back(json::object{{"$ref", "#/$defs/d0"}, {"$defs", all}});
  out.push_back(json::object{{"type", "object"}, {"properties", docs}});
  out.push_back(json::object{{"type", "object"}, {"properties", json::object{{std::string(1u << 20, 'n'), true}}}});
  out.push_back(json::object{{"$ref", "#/" + std::string(1u << 20, '/')}});
  json::value alternatives = json::object{{"type", "string"}};
  for (int i = 0; i < 3; ++i) {
    json::array both;
    for (int k = 0; k < 10; ++k)
      both.push_back(json::object{{"properties", json::object{{"k" + std::to_string(i * 10 + k), alternatives}}}});
    alternatives = json::object{{"anyOf", both}, {"oneOf", both}};
  }
  out.push_back(alternatives);
  return out;
}

} // namespace test
