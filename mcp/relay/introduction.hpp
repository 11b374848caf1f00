// Who a client is, in its own words: said to its server as if it were there itself.
#pragma once

#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/revision.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace mcp::relay {

struct introduction {
  boost::json::value info;          ///< `clientInfo`; null: it says none
  boost::json::object capabilities; ///< in the words of its era
  std::string version;              ///< that it asks for, of one with a handshake; empty: it has none
  bool has_handshake() const { return !version.empty(); }
};

/// Of `initialize`, whose parameters are as they should be.
introduction introduced(const boost::json::object& params);
/// Of any request of 2026-07-28 with an envelope that counts.
introduction introduced_by_envelope(const message_view& request);
/// Of clients of 2026-07-28 who are not known yet: one server is told of all that any may do.
introduction anybody();

/// As it is called: by its own name, or by ours.
boost::json::value name_of_client(const introduction& who);
/// Parameters of `initialize`.
boost::json::object handshake_params(const introduction& who);
/// `clientCapabilities` of a request of 2026-07-28, whatever the client's own era.
boost::json::object modern_capabilities(const introduction& who);
/// `_meta` of a request of that revision which we make for it.
boost::json::object modern_meta(const introduction& who);

} // namespace mcp::relay
