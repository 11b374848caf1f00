// A stream of events, or the rest of one, that a server over HTTP is asked for: with a token that counts.
#pragma once

#include "mcp/http_exchanges.hpp"
#include "mcp/http_identity.hpp"
#include "mcp/http_inbox.hpp"
#include "mcp/http_session.hpp"
#include "mcp/secret_mask.hpp"

#include <asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mcp {

/// Of one connection. All of it outlives its streams.
struct http_stream_parts {
  http_exchanges& exchanges;
  http_session& session;
  http_identity& identity;
  http_inbox& inbox;
  const masking& masked;
};

/// What a refusal for who we are leads to.
enum class at_refusal : uint8_t {
  nothing,
  renewal,          ///< one; calls go on without the stream, so a refusal after it says nothing of the login
  renewal_and_word, ///< the same, but after another refusal a person has to know
};

struct stream_wish {
  std::string last_event{}; ///< of the one that was cut; empty: none
  at_refusal then = at_refusal::renewal_and_word;
  /// Asked before each try: a renewal takes a while. Empty: it is, as long as the connection lasts.
  std::function<bool()> is_wanted{};
  /// Hears of each try, before there is any answer; may be empty.
  std::function<void(const std::shared_ptr<http_exchange>&)> started{};
};

struct asked_stream {
  std::shared_ptr<http_exchange> exchange; ///< null: nobody wants it any more
  authorization_advice advice{};           ///< of the last refusal for who we are
  bool was_renewed = false;                ///< there was such a refusal, and another token
};

/// Waits for the head.
asio::awaitable<asked_stream> ask_for_stream(http_stream_parts parts, stream_wish wish);

} // namespace mcp
