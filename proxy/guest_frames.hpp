// The frames of the control channel: what a guest may say, checked field by field, and what it is told.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/guest.hpp"
#include "messages/run.hpp"
#include "messages/tool_call.hpp"
#include "proxy/artifact_requests.hpp"
#include "proxy/memory_requests.hpp"
#include "proxy/person_requests.hpp"
#include "proxy/sample_requests.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace proxy {

/// Of a tool, or for resources and prompts.
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
  bool with_signature = false;                    ///< getToolSignature
  msg::language lang = msg::language::typescript; ///< of the signature
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
  bool exits = false; ///< the process of the guest ends with it, and so does its session
};

/// Its data has not been looked at, see can_be_shown().
struct guest_display {
  msg::display_block block;
  size_t bytes = 0; ///< of the whole frame
};

/// What breaks the protocol: the run ends with it.
struct guest_violation {
  std::string problem;
};

using guest_frame = std::variant<guest_call, guest_search, guest_schema, guest_servers, guest_memory,
                                 guest_output_request, guest_sample, guest_sample_stream, guest_question,
                                 guest_approval, guest_display, guest_mistake, guest_done, guest_violation>;

/// Takes no longer than a few bounded texts do, however large the frame is.
guest_frame parse_frame(const msg::document& frame);

/// What breaks the protocol in a block that can not.
inline constexpr const char* no_display = "a display block that is no image or audio in base64 with its media type";
/// Whether an image or a sound is base64; a client would choke on anything else. Reads all of it, at about 1 GB/s. True
/// for texts and JSON.
bool can_be_shown(const msg::display_block& block);

/// The type of a frame; empty: it has none.
std::string_view frame_type(const msg::document& frame);
/// The id of a request; 0: it is none.
uint64_t request_id(const msg::document& frame);

msg::spliced_text run_frame(const msg::guest_program& program);
msg::spliced_text warm_up_frame();
msg::spliced_text reply_frame(uint64_t id, const msg::outcome<msg::document>& answer);

} // namespace proxy
