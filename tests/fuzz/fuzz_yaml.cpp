// YAML never hangs, never crashes, stays small, and every part of what is accepted has a position inside of the text.
#include "config/yaml_text.hpp"
#include "messages/limits.hpp"
#include "testing/fuzz.hpp"
#include "text/json_text.hpp"

#include <boost/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  boost::json::value value;
  config::json_positions positions;
  auto problem = config::parse_yaml(text, value, positions);
  fuzz::require(problem.at <= size, "a problem outside of the text");
  for (auto& [path, offset] : positions.offsets)
    fuzz::require(offset <= size, "a part outside of the text");
  if (problem.what.empty())
    fuzz::require(text::to_text(value).size() <= 200 * msg::limits::config_typed_values_max,
                  "more than its aliases may stand for");
  return 0;
}
