// Numbers as they were spelled: a double is not what 123456789012345678901234567890 says.
#pragma once

#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace recording {

/// `shown` as compact JSON, its numbers as `text` has them, from which `real` was parsed: both have the same shape, but
/// for what is redacted. As Boost.JSON has them if the text has other numbers than the value: it names a member twice.
std::string with_numbers_of(const boost::json::value& shown, const boost::json::value& real, std::string_view text);

} // namespace recording
