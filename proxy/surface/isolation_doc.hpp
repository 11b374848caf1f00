// The isolation of guests as JSON, for `health` and `doctor --json`.
#pragma once

#include "messages/isolation.hpp"

#include <boost/json/object.hpp>

namespace surface {

/// {mode, reason?, walls: {<name>: {holds, by, limit?}}}
boost::json::object isolation_doc(const msg::isolation_report& report);

} // namespace surface
