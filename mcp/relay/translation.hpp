// What a request and its answer have to be like for the other era. Between two of the same era they stay as they are,
// but for what belongs to each connection: ids and tokens of progress.
#pragma once

#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/relay/introduction.hpp"
#include "mcp/relay/member_changes.hpp"
#include "mcp/revision.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mcp::relay {

// ---- to the server

struct request_terms {
  revision client = latest_revision; ///< that the client speaks
  revision server = latest_revision;
  const introduction* who = nullptr; ///< of a client with a handshake, before a server without
  std::string log_level = {};        ///< the same: that it has asked for; empty: none
  boost::json::object more = {};     ///< answers to what the server has asked (input_round::parameters())
};

/// The client's request, under another number: also that of its progress, if the client wants to hear of it.
own_request request_to_server(uint64_t number, const msg::document& message, const message_view& request,
                              const request_terms& terms);

// ---- to the client

struct answer_terms {
  std::string_view method;
  revision server = latest_revision;
  revision client = latest_revision;
  boost::json::value server_info = {}; ///< of a server with a handshake, before a client without; null: none
  boost::json::object replaced = {};   ///< members of the result, whatever the eras are
  std::string_view uri = {};           ///< of resources/read
};

/// The result of `message` as text, `head` before and `tail` behind it.
msg::spliced_text result_to_client(std::string head, const msg::document& message, const boost::json::value& result,
                                   const answer_terms& terms, std::string tail);
/// The error of a response: codes of the client's era.
boost::json::value error_to_client(const boost::json::value& error, const answer_terms& terms);
/// Over HTTP, of an answer that is an error with that code and no stream: what the later era wants.
uint16_t status_of(int64_t code, revision client);

/// A result of `server/discover`, of a server with a handshake, and the other way round. `hello`: what it said itself.
boost::json::object discovery_of(const msg::document& hello);
boost::json::object handshake_of(const msg::document& hello, revision client);

} // namespace mcp::relay
