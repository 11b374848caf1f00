// Documents for tests.
#pragma once

#include "messages/document.hpp"
#include "testing/values.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

inline msg::document doc(std::string_view text) {
  auto parsed = msg::document::parse(text);
  if (!parsed.ok())
    throw std::invalid_argument{"test wrote broken JSON: " + std::string{text} + ": " + parsed.error.message};
  return parsed.value;
}

} // namespace test
