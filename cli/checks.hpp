// The checks of `doctor`, and how they are told.
#pragma once

#include "messages/isolation.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class check_status : uint8_t { ok, warning, missing };

struct check {
  std::string name;
  check_status status = check_status::ok;
  std::string found;
  std::string advice; ///< what to do; empty: nothing
};

/// One line for each, and one more for what to do. `colours`: for a terminal.
std::string as_text(const std::vector<check>& checks, bool colours);
boost::json::object as_json(const std::vector<check>& checks, const msg::isolation_report& isolation, bool can_run);

} // namespace cli
