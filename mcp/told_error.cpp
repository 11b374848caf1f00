#include "mcp/told_error.hpp"

#include "mcp/fields.hpp"
#include "mcp/jsonrpc.hpp"
#include "messages/limits.hpp"

namespace mcp {

std::string told_error(const boost::json::value& error, size_t bytes_max, const masking& masked) {
  if (auto* text = error.if_string())
    return masked_excerpt(*text, bytes_max, masked);
  auto* fields = error.if_object();
  if (!fields)
    return masked_json(error, bytes_max, masked);
  auto text = masked_excerpt(string_or(*fields, "message", "no message"), bytes_max, masked);
  if (auto* code = fields->if_contains("code"); code && code->is_int64() && code->get_int64() != rpc_error::unanswered
                                                && code->get_int64() != rpc_error::login_wanted)
    text += " (code " + std::to_string(code->get_int64()) + ")";
  if (auto* data = fields->if_contains("data"))
    text += ": " + masked_json(*data, msg::limits::child_quote_bytes_max, masked);
  return text;
}

int64_t error_code(const boost::json::value* error) {
  auto* fields = error ? error->if_object() : nullptr;
  auto* code = fields ? fields->if_contains("code") : nullptr;
  return code && code->is_int64() ? code->get_int64() : 0;
}

} // namespace mcp
