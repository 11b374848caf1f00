// TOML never hangs, never crashes, and every part of what is accepted has a position inside of the text.
#include "config/toml_text.hpp"
#include "testing/fuzz.hpp"
#include "tests/fuzz/positions.hpp"

#include <boost/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  boost::json::value value;
  config::json_positions positions;
  auto problem = config::parse_toml(text, value, positions);
  fuzz::require(problem.at <= size, "a problem outside of the text");
  if (problem.what.empty())
    fuzz::require_positions(value, "", positions, size);
  return 0;
}
