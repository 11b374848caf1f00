// How a command says what it could not do.
#pragma once

#include "text/printable.hpp"

#include <iostream>
#include <string>

namespace cli {

/// On stderr; gives `code`, to end with.
inline int complain(const std::string& what, int code) {
  std::cerr << "code-executor: " << text::printable(what) << "\n";
  return code;
}

} // namespace cli
