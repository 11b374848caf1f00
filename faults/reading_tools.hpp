// Which tools only read, as far as anybody says: all others may write.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace faults {

/// By the `readOnlyHint` of its definition.
bool says_it_reads(const boost::json::object& tool);
/// Whether its whole name begins, behind the server, with a verb of those that only read: get, list, read and the like.
bool sounds_like_reading(std::string_view full_name);

} // namespace faults
