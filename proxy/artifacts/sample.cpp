#include "proxy/artifacts/sample.hpp"

#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace artifacts {

namespace json = boost::json;

namespace {

constexpr size_t elements_max = 3; ///< of one list
constexpr size_t text_bytes_max = 200;
constexpr size_t depth_max = 8;
/// Less is spent on nothing: a value for which there is no more room than this is left out.
constexpr size_t least_bytes = 8;

json::value beginning(std::string_view text, size_t bytes_max) {
  auto end = std::min({text.size(), text_bytes_max, bytes_max});
  if (end == text.size())
    return json::string{text};
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return json::string{std::string{text.substr(0, end)} + "..."};
}

size_t written_bytes(const json::value& value) { return text::to_text(value).size(); }

json::value sample(const json::value& value, size_t bytes_max, size_t depth);

json::value of_list(const json::array& list, size_t bytes_max, size_t depth) {
  json::array out;
  for (size_t i = 0; i < std::min(list.size(), elements_max) && bytes_max > least_bytes; ++i) {
    // the first may take most of it, so that one is seen whole
    auto part = sample(list[i], i == 0 ? bytes_max - bytes_max / 4 : bytes_max, depth);
    auto bytes = written_bytes(part) + 1;
    if (bytes > bytes_max)
      break;
    bytes_max -= bytes;
    out.push_back(std::move(part));
  }
  return out;
}

json::value of_object(const json::object& object, size_t bytes_max, size_t depth) {
  json::object out;
  auto fields_left = object.size();
  for (auto& [key, field] : object) {
    auto key_bytes = key.size() > bytes_max ? key.size() : written_bytes(json::value(key)) + 2;
    if (bytes_max <= key_bytes + least_bytes)
      break;
    auto share = std::max(bytes_max / 2, bytes_max / fields_left--); // room remains for those behind it
    auto part = sample(field, std::min(share, bytes_max - key_bytes), depth);
    auto bytes = written_bytes(part) + key_bytes;
    if (bytes > bytes_max)
      continue;
    bytes_max -= bytes;
    out.emplace(key, std::move(part));
  }
  return out;
}

json::value sample(const json::value& value, size_t bytes_max, size_t depth) {
  if (auto* text = value.if_string())
    return beginning(*text, bytes_max);
  if (auto* list = value.if_array())
    return depth == 0 ? json::array{} : of_list(*list, bytes_max - std::min<size_t>(2, bytes_max), depth - 1);
  if (auto* object = value.if_object())
    return depth == 0 ? json::object{} : of_object(*object, bytes_max - std::min<size_t>(2, bytes_max), depth - 1);
  return value;
}

} // namespace

json::value sample_of(const json::value& value, size_t bytes_max) { return sample(value, bytes_max, depth_max); }

} // namespace artifacts
