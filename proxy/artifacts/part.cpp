#include "proxy/artifacts/part.hpp"

#include "proxy/artifacts/path.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace artifacts {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

struct range {
  size_t begin, end;
};

range within(size_t size, const msg::artifact_query& query) {
  auto begin = std::min<uint64_t>(query.offset, size);
  return {static_cast<size_t>(begin), static_cast<size_t>(begin + std::min<uint64_t>(query.limit, size - begin))};
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Where the next `count` characters from `at` end.
size_t skip(std::string_view text, size_t at, uint64_t count) {
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && count-- == 0)
      break;
  return at;
}

json::value some_characters(std::string_view text, const msg::artifact_query& query) {
  auto begin = skip(text, 0, query.offset);
  auto end = query.limit == msg::artifact_query::no_limit ? text.size() : skip(text, begin, query.limit);
  return json::string{text.substr(begin, end - begin)};
}

json::value some_elements(const json::array& list, const msg::artifact_query& query) {
  auto [begin, end] = within(list.size(), query);
  json::array out;
  out.reserve(end - begin);
  for (auto i = begin; i < end; ++i)
    out.push_back(list[i]);
  return out;
}

json::value some_fields(const json::object& object, const msg::artifact_query& query) {
  auto [begin, end] = within(object.size(), query);
  json::object out;
  auto field = object.begin();
  std::advance(field, begin);
  for (auto i = begin; i < end; ++i, ++field)
    out.emplace(field->key(), field->value());
  return out;
}

/// A small part does not keep the whole alive.
msg::document shared_or_copied(const msg::document& whole, const json::value& value) {
  if (&value == &whole.value())
    return whole;
  return msg::document::text_bytes_of(value) < whole.text_bytes() / 2 ? msg::document{json::value(value)}
                                                                      : whole.part(value);
}

} // namespace

msg::outcome<msg::document> part(const msg::document& whole, const msg::artifact_query& query) {
  auto found = find(whole.value(), query.path);
  if (!found.ok())
    return std::move(found.error);
  auto& value = *found.value;
  if (query.offset == 0 && query.limit == msg::artifact_query::no_limit)
    return shared_or_copied(whole, value);
  if (auto* text = value.if_string())
    return msg::document(some_characters(*text, query));
  if (auto* list = value.if_array())
    return msg::document(some_elements(*list, query));
  if (auto* object = value.if_object())
    return msg::document(some_fields(*object, query));
  return fault{errc::invalid_argument, "offset and limit are for lists, texts and objects; this is a single value"};
}

} // namespace artifacts
