// Every part of a text that the parser accepts has a position inside of it, and a part of the text has the same ones.
#include "config/json_positions.hpp"
#include "testing/fuzz.hpp"
#include "tests/fuzz/positions.hpp"
#include "text/json_parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  boost::json::value value;
  if (!text::parse_json(text, text::json_dialect::edited, value).what.empty())
    return 0;
  auto all = config::find_positions(text);
  fuzz::require_positions(value, "", all, size);
  auto* object = value.if_object();
  if (!object || object->empty() || !all.duplicate.empty())
    return 0;
  auto part = config::member_path("", object->begin()->key());
  for (auto& [path, offset] : config::find_positions(text, part).offsets)
    fuzz::require(all.offsets.contains(path) && all.offsets.at(path) == offset, "another position than among all");
  for (auto& [path, offset] : config::find_members(text, part).offsets)
    fuzz::require(all.offsets.contains(path) && all.offsets.at(path) == offset, "another position than among all");
  return 0;
}
