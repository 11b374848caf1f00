// What a request hears that the end of the server comes before.
#pragma once

#include "messages/errors.hpp"

namespace client {

inline msg::fault being_stopped() { return {msg::errc::shutting_down, "the server is being stopped"}; }

} // namespace client
