#include "faults/answer_values.hpp"

#include "mcp/fields.hpp"
#include "messages/document.hpp"
#include "text/canonical_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

namespace faults {

namespace json = boost::json;

namespace {

/// Members of a list or an object that counts as a value on its own.
constexpr size_t members_max = 8;
/// Canonical: what is shorter is found everywhere.
constexpr size_t value_bytes_min = 3;

/// Calls `each` with every value, and with what JSON in texts has.
template <class Each>
void for_each_value(const json::value& value, size_t& left, const Each& each) {
  if (left == 0)
    return;
  --left;
  each(value);
  if (auto* object = value.if_object())
    for (auto& [name, member] : *object)
      for_each_value(member, left, each);
  if (auto* list = value.if_array())
    for (auto& item : *list)
      for_each_value(item, left, each);
  auto* text = value.if_string();
  auto first = text && !text->empty() ? text->front() : ' ';
  if (first != '{' && first != '[')
    return;
  if (auto inner = msg::document::parse(*text); inner.ok())
    for_each_value(inner.value.value(), left, each);
}

} // namespace

json::value answered_part(const json::value& result) {
  json::array out;
  auto* object = result.if_object();
  auto* content = object ? object->if_contains("content") : nullptr;
  if (auto* blocks = content ? content->if_array() : nullptr)
    for (auto& block : *blocks)
      if (auto text = mcp::string_in(block.if_object(), "text"); !text.empty())
        out.emplace_back(text);
  if (auto* structured = object ? object->if_contains("structuredContent") : nullptr)
    out.push_back(*structured);
  return out;
}

std::vector<std::string> values_in(const json::value& value) {
  std::vector<std::string> out;
  auto left = answer_values_max;
  for_each_value(value, left, [&out](const json::value& one) {
    bool says_nothing = one.is_null() || one.is_bool() || one.is_number();
    bool is_large = (one.is_object() && one.get_object().size() > members_max)
                    || (one.is_array() && one.get_array().size() > members_max)
                    || (one.is_string() && one.get_string().size() > answer_value_bytes_max);
    if (says_nothing || is_large)
      return;
    auto text = text::canonical_json(one);
    if (text.size() >= value_bytes_min && text.size() <= answer_value_bytes_max)
      out.push_back(std::move(text));
  });
  return out;
}

std::vector<std::string> texts_in(const json::value& value) {
  std::vector<std::string> out;
  auto left = answer_values_max;
  for_each_value(value, left, [&out](const json::value& one) {
    if (auto* text = one.if_string(); text && text->size() <= answer_value_bytes_max)
      out.emplace_back(*text);
  });
  return out;
}

} // namespace faults
