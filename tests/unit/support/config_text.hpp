// Texts of configuration files, as JSON.
#pragma once

#include "config/json_positions.hpp"
#include "text/json_text.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace test {

struct parsed_text {
  std::string json;
  std::string problem; ///< with its place
  config::json_positions positions;
};

/// With config::parse_toml or config::parse_yaml.
template <class Parse>
parsed_text parse_with(Parse parse, std::string_view text) {
  parsed_text out;
  boost::json::value value;
  auto problem = parse(text, value, out.positions);
  out.json = text::to_text(value);
  if (!problem.what.empty())
    out.problem = config::position(text, problem.at) + ": " + problem.what;
  return out;
}

} // namespace test
