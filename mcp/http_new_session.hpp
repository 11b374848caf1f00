// Another session with a server over HTTP that has lost the one before.
#pragma once

#include "mcp/http_exchanges.hpp"
#include "mcp/http_session.hpp"
#include "mcp/secret_mask.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <string>

namespace mcp {

/// The same handshake once more. Empty: there is a session, of the same revision. Else why there is none, as the rest
/// of a sentence about the server. All that is given lives longer.
asio::awaitable<std::string> begin_session(asio::any_io_executor worker, http_exchanges& exchanges,
                                           http_session& session, const masking& masked);

} // namespace mcp
