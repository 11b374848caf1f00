// Every part of a text that the parser accepts has a position inside of it.
#include "config/json_positions.hpp"
#include "messages/json_parse.hpp"
#include "tests/fuzz/input.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace {

void check(const boost::json::value& value, const std::string& path, const config::json_positions& found, size_t size) {
  auto has = [&](const std::string& inner) {
    auto at = found.offsets.find(inner);
    fuzz::require(at != found.offsets.end() && at->second < size, "a part without a position");
  };
  if (auto* object = value.if_object())
    for (auto& [key, member] : *object) {
      has(config::member_path(path, key));
      if (found.duplicate.empty()) // else the parser may have kept another value than the first
        check(member, config::member_path(path, key), found, size);
    }
  if (auto* array = value.if_array())
    for (size_t i = 0; i < array->size(); ++i) {
      has(config::item_path(path, i));
      check((*array)[i], config::item_path(path, i), found, size);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  boost::json::value value;
  if (!msg::parse_json(text, msg::json_dialect::edited, value).what.empty())
    return 0;
  check(value, "", config::find_positions(text), size);
  return 0;
}
