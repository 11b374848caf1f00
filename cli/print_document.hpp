// What a command prints with --json.
#pragma once

#include "text/printable.hpp"

#include <boost/json/serialize.hpp>

#include <iostream>

namespace cli {

/// One line of stdout. What would do something to a terminal can only stand in strings, where its escape means the
/// same.
inline void print_document(const boost::json::value& document) {
  std::cout << text::printable(boost::json::serialize(document)) << "\n";
}

} // namespace cli
