// What a result has besides what it says, by revision.
#pragma once

#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace mcp {

/// How long a client may keep a result, and for whom.
struct cache_hint {
  enum class scope : uint8_t { nobody, everybody, asker };
  scope whose = scope::nobody;
  std::chrono::milliseconds ttl{0};
};
/// Results that say nothing about it.
inline constexpr cache_hint uncached{};

/// The result of a call: says that it is complete, and whose it is, where the revision wants that.
void complete(boost::json::object& result, const requester& to, const boost::json::object& server_info);

/// The response with a result of one large member (a list, or contents) and small ones, which is not copied.
msg::spliced_text listing_response(const boost::json::value& id, const msg::document& result, const requester& to,
                                   const boost::json::object& server_info, const cache_hint& hint);

} // namespace mcp
