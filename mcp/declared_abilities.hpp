// What we say to a server that we can be asked: no more than a client of ours can.
#pragma once

#include "messages/client_abilities.hpp"

#include <boost/json/object.hpp>

namespace mcp {

/// `capabilities`, in the words of either era. Lists of roots are not told to have changed.
boost::json::object declared(const msg::client_abilities& abilities);

} // namespace mcp
