// What a request of revision 2026-07-28 says of itself in `params._meta`: there is no handshake, and nothing is
// remembered from one request to the next.
#pragma once

#include "mcp/client_requests.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/revision.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace mcp {

namespace meta_key {
inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view server = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view subscription = "io.modelcontextprotocol/subscriptionId";
} // namespace meta_key

/// Who asks, and in which revision.
struct requester {
  revision spoken = latest_revision;
  std::string name; ///< in `clientInfo`, cut; empty: none
  msg::client_abilities abilities;
  msg::log_wish log = {}; ///< of the log of servers; a level that the protocol does not have is none
};

/// An answer that is an error.
struct rpc_refusal {
  int32_t code = 0; ///< 0: it is none
  std::string message;
  boost::json::value data; ///< null: none
  explicit operator bool() const { return code != 0; }
};

struct envelope {
  requester from;
  rpc_refusal refused; ///< the request is not to be carried out
};

/// Whether the message says its revision. Then it has an envelope, whatever its method is.
bool has_envelope(const message_view& message);
/// The revision that it says, as it says it; empty: none, or no text.
std::string_view claimed_revision(const message_view& message);
/// Of one that has_envelope().
envelope read_envelope(const message_view& request);
/// `clientInfo.name`, cut; empty: there is none.
std::string client_name_of(const boost::json::value* client_info);

/// Whether revision 2026-07-28 has that request and we serve it. Others are method_not_found.
bool is_modern_method(std::string_view method);
/// Whether only revisions with a handshake have that request.
bool is_gone_method(std::string_view method);
/// The member of a request's parameters that HTTP repeats in `Mcp-Name`; empty: none.
std::string_view member_named(std::string_view method);
/// The names of all revisions that are served, the latest first.
boost::json::array served_revisions();
/// For who has asked for a revision that we do not know.
rpc_refusal unsupported_revision(std::string_view requested);

} // namespace mcp
