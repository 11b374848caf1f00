#include "mcp/decorated_connection.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace mcp {

uint64_t answered_by(const msg::document& message) {
  auto* object = message.value().if_object();
  auto* id = object && !object->contains("method") ? object->if_contains("id") : nullptr;
  boost::json::error_code ec;
  auto number = id && id->is_number() ? id->to_number<uint64_t>(ec) : 0;
  return ec ? 0 : number;
}

} // namespace mcp
