// What a server has written into its log, as clients are told: bounded, and without the server's own secrets.
#pragma once

#include "mcp/secret_mask.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace mcp {

/// `server`, or `server/logger`. `params`: of its notifications/message.
std::string told_logger(const std::string& server, const boost::json::object& params, const masking& masked);
/// Its `data`; of more than log_data_bytes_max the beginning, as a text. Null: there is none, which is an empty text.
msg::document told_log_data(const boost::json::value* data, const masking& masked);

} // namespace mcp
