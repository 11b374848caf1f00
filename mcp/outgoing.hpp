// One message for a client, and which way it goes.
#pragma once

#include "messages/document.hpp"

#include <cstdint>
#include <string>

namespace mcp {

/// One of several ways to the same client: an HTTP request is answered in its own response. 0: there is one only, or
/// what belongs to no request.
using stream_number = uint64_t;

struct outgoing {
  enum class kind : uint8_t {
    notification,
    request, ///< of ours; its answer comes as a message of its own
    answer,  ///< the last message on its stream; a batch is one
    none,    ///< no message at all: what came on that stream was cancelled, and nothing answers it. Not for stream 0
  };
  msg::spliced_text text;
  stream_number stream = 0;
  kind what = kind::notification;
  uint16_t status = 200; ///< over HTTP: of an answer that is no stream
  std::string parked;    ///< `requestState` of an answer that asks; empty: it is none
};

} // namespace mcp
