// What is done for a server after some time.
#pragma once

#include <cstdint>

namespace child {

/// Each counts for the connection of which it was set.
enum class timer : uint8_t {
  handshake,    ///< it has not begun to serve
  non_protocol, ///< the same, and it has printed what is no message
  relist,       ///< its tools have changed a while ago
  idle,         ///< no caller may have needed it for long
  late_calls,   ///< a call may have taken too long
  kept_slots,   ///< one that was given up has had its slot for long enough
  awaited_list, ///< those who wait for its list may have waited for too long
  listing,      ///< it may have had too long to list its tools
  discovery,    ///< it may not know what it was asked first
  otherwise,    ///< it is started once more, to be asked otherwise
  input_rounds, ///< it wanted a moment, and is asked once more
  listening,    ///< it is asked once more to say when its tools change
  restart,      ///< its back-off is over, and calls wait for that
};

} // namespace child
