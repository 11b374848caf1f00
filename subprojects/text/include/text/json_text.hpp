// JSON as text for people, models and guests: like Boost.JSON's own, but numbers are written the way people write
// them (1.5, not 1.5E0). A double stays recognisable as one (2.0).
#pragma once

#include <string>

namespace boost::json {
class value;
}

namespace text {

std::string to_text(const boost::json::value& value);

} // namespace text
