// What a guest may ask of the memory: `memory_save` ... `tool_delete`, checked field by field.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/memory.hpp"

#include <optional>
#include <string_view>

namespace boost::json {
class object;
}

namespace proxy {

struct guest_memory {
  uint64_t id = 0;
  msg::memory_request request;
};

/// Nothing: `method` is none of these. `params` lies inside of `frame`, which the values of the request share. Sizes of
/// names and values are for the store to judge.
std::optional<msg::outcome<msg::memory_request>>
parse_memory_request(std::string_view method, const msg::document& frame, const boost::json::object& params);

} // namespace proxy
