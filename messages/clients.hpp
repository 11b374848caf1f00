// A client that comes over HTTP.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>

namespace msg {

struct client_opening {
  uint32_t connection = 0; ///< its number, from 2: 1 is the client on stdin
  uint64_t client = 0;     ///< of who it is: connections of one owner share their turns and their rate
  std::string owner;       ///< whose guests, outputs and memory it has: see run_request::owner
  bool comes_back = false; ///< by its token: its guests stay for as long as guests do
  auto fields() { return std::tie(connection, client, owner, comes_back); }
};

} // namespace msg
