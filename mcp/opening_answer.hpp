// What the first answers of a server say of the revision it speaks: those to `server/discover` (2026-07-28) and to
// `initialize`.
#pragma once

#include "mcp/jsonrpc.hpp"
#include "mcp/revision.hpp"
#include "mcp/secret_mask.hpp"

#include <cstdint>
#include <string>

namespace mcp {

/// What an answer to one of the two says.
struct opening_answer {
  enum class kind : uint8_t {
    modern, ///< the server speaks 2026-07-28
    legacy, ///< it begins with `initialize`
    again,  ///< it speaks 2026-07-28, and has refused the first request all the same
    failed, ///< it speaks nothing that we do, answers wrongly, or is this program
  };
  kind what = kind::failed;
  std::string problem = {};       ///< of a failed one: the rest of a sentence about the server
  bool has_tools = true;          ///< false: a server of resources or prompts only
  bool announces_changes = false; ///< of its tools
  bool takes_log_levels = false;  ///< it has a log (`logging`)
  bool is_refusal = false;        ///< of a failed one: by an error of JSON-RPC
  bool is_unread = false;         ///< it does not read its requests
};

/// Any error but one that names revisions means `initialize`, as the specification has it.
opening_answer read_discovery(const message_view& response, const masking& masked);
/// `failed`: it does not read its requests.
opening_answer not_read();
/// `legacy` or `failed`.
opening_answer read_handshake(const message_view& response, const masking& masked);

} // namespace mcp
