// The requests that we send to servers, in the words of either era: in the later one each says itself who asks.
#pragma once

#include "mcp/request_labels.hpp"
#include "mcp/revision.hpp"
#include "messages/document.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string_view>

namespace mcp {

struct own_request {
  msg::spliced_text text;
  request_labels labels; ///< in the earlier era only what it is about
};

/// As this program calls itself, to clients and to servers.
inline constexpr std::string_view own_program_name = "code-executor";
/// `clientInfo` of all that we ask.
boost::json::object own_name();
/// `params` may be null: there are none.
own_request make_own_request(revision spoken, int64_t id, std::string_view method, const boost::json::value& params);
own_request make_own_notification(revision spoken, std::string_view method, const boost::json::value& params);
/// What a program asks. Its arguments are not copied. `more`: other parameters.
own_request make_call(revision spoken, int64_t id, const msg::tool_call& call, const boost::json::object& more = {});

} // namespace mcp
