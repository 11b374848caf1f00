// Arguments of tools that HTTP repeats in its head (`x-mcp-header` in an input schema, 2026-07-28).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <utility>
#include <vector>

namespace mcp {

struct header_parameter {
  std::string header;            ///< "Mcp-Param-..."
  std::vector<std::string> path; ///< names of members, from the arguments down
};

struct header_parameters {
  std::vector<header_parameter> all; ///< in order of the schema
  /// Why the tool can not be called over HTTP: the rest of a sentence that begins with its name. Empty: it can.
  std::string problem;
};

/// Of the whole definition of a tool.
header_parameters find_header_parameters(const boost::json::object& definition);

/// Name and value of each that the arguments have; null counts as not given.
std::vector<std::pair<std::string, std::string>> headers_of(const std::vector<header_parameter>& wanted,
                                                            const boost::json::value& arguments);

} // namespace mcp
