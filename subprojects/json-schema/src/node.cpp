#include "node.hpp"

#include "explain.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace json_schema {

namespace {

size_t size_of(const boost::json::value& instance) {
  if (auto* items = instance.if_array())
    return items->size();
  auto* members = instance.if_object();
  return members ? members->size() : 0;
}

std::string joined_backwards(std::vector<std::string>& tokens) {
  std::string out;
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token)
    (out += '/') += *token;
  return out;
}

} // namespace

std::string place::pointer() const {
  std::vector<std::string> tokens;
  for (auto* at = this; at->parent; at = at->parent)
    tokens.push_back(at->key.data() ? escaped_token(at->key) : std::to_string(at->index));
  return joined_backwards(tokens);
}

evaluated::evaluated(const boost::json::value& instance) : marks(size_of(instance)) {}

void evaluated::merge(const evaluated& other) {
  all = all || other.all;
  for (size_t i = 0; i < std::min(marks.size(), other.marks.size()); ++i)
    if (other.marks[i])
      marks[i] = true;
}

uint8_t kind_bit(const boost::json::value& instance) {
  switch (instance.kind()) {
    case boost::json::kind::string: return for_strings;
    case boost::json::kind::array: return for_arrays;
    case boost::json::kind::object: return for_objects;
    default: return instance.is_number() ? for_numbers : 16;
  }
}

std::string program::path(const node& n, std::string_view keyword) const {
  std::vector<std::string> tokens;
  if (!keyword.empty())
    tokens.push_back(escaped_token(keyword));
  for (auto* at = &n; at->parent; at = at->parent) {
    if (!at->token.empty() || at->below.empty())
      tokens.push_back(escaped_token(at->token));
    if (!at->below.empty())
      tokens.push_back(escaped_token(at->below));
  }
  auto* top = &n;
  while (top->parent)
    top = top->parent;
  return (top == &nodes.front() ? "#" : resource_uris[top->resource] + "#" + top->token) + joined_backwards(tokens);
}

} // namespace json_schema
