// The frames of the control channel: what a guest may say, checked field by field, and what it is told.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace proxy {

struct guest_ready {};

struct guest_call {
  uint64_t id = 0;
  msg::tool_ref tool;
  msg::document arguments; ///< an object
};

/// discover, search: a list of tools.
struct guest_search {
  uint64_t id = 0;
  msg::tool_query query;
  msg::tool_detail detail = msg::tool_detail::standard;
};

struct guest_schema {
  uint64_t id = 0;
  msg::tool_ref tool;
  bool with_signature = false; ///< getToolSignature
};

struct guest_servers {
  uint64_t id = 0;
};

/// A request that can be answered, but only with this fault.
struct guest_mistake {
  uint64_t id = 0;
  msg::fault why;
};

struct guest_done {
  bool has_result = false;
  msg::document result;
  bool failed = false;
  msg::program_error error;
  int32_t exit_code = 0;
};

/// What breaks the protocol: the run ends with it.
struct guest_violation {
  std::string problem;
};

using guest_frame = std::variant<guest_ready, guest_call, guest_search, guest_schema, guest_servers, guest_mistake, guest_done, guest_violation>;

guest_frame parse_frame(const msg::document& frame);

msg::spliced_text run_frame(std::string_view code);
msg::spliced_text reply_frame(uint64_t id, const msg::outcome<msg::document>& answer);

} // namespace proxy
