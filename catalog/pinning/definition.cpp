#include "catalog/pinning/definition.hpp"

#include "text/unseen.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace tool_pinning {

namespace json = boost::json;

namespace {

struct part {
  const char* key;
  const char* name;
};
constexpr std::array<part, 5> parts{{{"title", "title"},
                                     {"description", "description"},
                                     {"inputSchema", "input schema"},
                                     {"outputSchema", "output schema"},
                                     {"annotations", "annotations"}}};

bool is_list_of_names(const json::value& v) {
  return v.is_array() && std::all_of(v.get_array().begin(), v.get_array().end(), [](auto& n) { return n.is_string(); });
}

json::value in_order(const json::value& v);

/// The order of what a schema requires means nothing, and some generators change it.
json::value member_in_order(std::string_view key, const json::value& v) {
  auto out = in_order(v);
  if (key == "required" && is_list_of_names(out))
    std::sort(out.get_array().begin(), out.get_array().end(),
              [](auto& a, auto& b) { return a.get_string() < b.get_string(); });
  return out;
}

/// As deep as what was parsed, which is bounded.
json::value in_order(const json::value& v) {
  if (v.is_array()) {
    json::array out;
    for (auto& item : v.get_array())
      out.push_back(in_order(item));
    return out;
  }
  if (!v.is_object())
    return v;
  std::vector<std::pair<std::string_view, const json::value*>> members;
  for (auto& [key, value] : v.get_object())
    members.emplace_back(key, &value);
  std::sort(members.begin(), members.end(), [](auto& a, auto& b) { return a.first < b.first; });
  json::object out;
  for (auto& [key, value] : members)
    out[key] = member_in_order(key, *value);
  return out;
}

json::object object_of(std::string_view canonical) {
  auto parsed = msg::document::parse(canonical);
  auto* o = parsed.value.value().if_object();
  return o ? *o : json::object{};
}

bool are_equal(const json::value* a, const json::value* b) { return a && b ? *a == *b : a == b; }

// ---- for people --------------------------------------------------------------------------------

/// Of valid UTF-8, at the first byte of a character.
size_t length_of(char first) {
  auto b = static_cast<unsigned char>(first);
  return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
}

uint32_t code_point(std::string_view character) {
  auto b = static_cast<unsigned char>(character[0]);
  uint32_t c = character.size() == 1 ? b : b & (0xFFU >> (character.size() + 1));
  for (auto more : character.substr(1))
    c = c << 6U | (static_cast<unsigned char>(more) & 0x3FU);
  return c;
}

std::string hex(uint32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (; c > 0 || out.empty(); c >>= 4U)
    out.insert(out.begin(), digits[c & 15U]);
  return out;
}

void add_lines(std::string_view text, const std::string& indent, std::vector<std::string>& to) {
  while (true) {
    auto end = text.find('\n');
    to.push_back(indent + visible(text.substr(0, end)));
    if (end == text.npos)
      return;
    text.remove_prefix(end + 1);
  }
}

void add_value(const std::string& before, const json::value& v, const std::string& indent,
               std::vector<std::string>& to) {
  auto deeper = indent + "  ";
  auto is_long = v.is_string() && v.get_string().find('\n') != json::string::npos;
  if (v.is_object() && !v.get_object().empty()) {
    to.push_back(indent + before);
    for (auto& [key, value] : v.get_object())
      add_value(visible(key) + ":", value, deeper, to);
  } else if (v.is_array() && !v.get_array().empty()) {
    to.push_back(indent + before);
    for (auto& item : v.get_array())
      add_value("-", item, deeper, to);
  } else if (is_long) {
    to.push_back(indent + before);
    add_lines(v.get_string(), deeper, to);
  } else {
    to.push_back(indent + before + " "
                 + visible(v.is_string() ? std::string{v.get_string()} : msg::document{v}.text()));
  }
}

} // namespace

std::string visible(std::string_view text) {
  auto valid = text::valid_utf8(text);
  std::string out;
  for (size_t i = 0; i < valid.size();) {
    auto character = std::string_view{valid}.substr(i, length_of(valid[i]));
    auto c = code_point(character);
    out += text::is_unseen(c) ? "\\u{" + hex(c) + "}" : std::string{character};
    i += character.size();
  }
  return out;
}

std::string canonical(const msg::tool_info& tool) {
  json::object out;
  auto* definition = tool.definition.value().if_object();
  for (auto& p : parts)
    if (std::string_view{p.key} == "description" && !tool.description.empty())
      out[p.key] = tool.description;
    else if (auto* v = definition ? definition->if_contains(p.key) : nullptr)
      out[p.key] = in_order(*v);
  return msg::document{std::move(out)}.text();
}

std::vector<std::string> differing_parts(std::string_view approved, std::string_view now) {
  auto before = object_of(approved), after = object_of(now);
  std::vector<std::string> out;
  for (auto& p : parts)
    if (!are_equal(before.if_contains(p.key), after.if_contains(p.key)))
      out.emplace_back(p.name);
  return out;
}

std::vector<std::string> readable(std::string_view canonical) {
  auto all = object_of(canonical);
  std::vector<std::string> out;
  for (auto& p : parts)
    if (auto* v = all.if_contains(p.key))
      add_value(std::string{p.name} + ":", *v, "", out);
  return out;
}

} // namespace tool_pinning
