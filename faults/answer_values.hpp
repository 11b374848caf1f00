// The values that an answer has, each on its own: to find them again where they do not belong.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace faults {

/// Of one answer, and bytes of each: what is besides or longer is left out.
inline constexpr size_t answer_values_max = 10'000, answer_value_bytes_max = 1'024;

/// What programs and models see of a result of a tool: its structured content and its texts.
boost::json::value answered_part(const boost::json::value& result);

/// All values in it, also of JSON in its texts, as canonical JSON; without those that say nothing (true, null, 7, "").
std::vector<std::string> values_in(const boost::json::value& value);

/// Likewise the texts alone, as they are.
std::vector<std::string> texts_in(const boost::json::value& value);

} // namespace faults
