// Values in TOON, which takes a model fewer tokens than JSON.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>

namespace surface {

/// How a run's values are written in the text of its answer. structuredContent is JSON in any case.
enum class output_format : uint8_t {
  usual, ///< JSON; of run_python: compact
  toon,
};

/// Empty: it can not be said in TOON within our bounds, or there is nothing to say (an empty object).
std::string toon_text(const boost::json::value& value);

} // namespace surface
