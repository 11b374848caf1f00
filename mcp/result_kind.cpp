#include "mcp/result_kind.hpp"

#include "messages/limits.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

namespace mcp {

std::string unusable_result(revision spoken, const boost::json::object& result) {
  auto* kind = has_handshake(spoken) ? nullptr : result.if_contains("resultType");
  if (!kind || (kind->is_string() && kind->get_string() == "complete"))
    return {};
  if (kind->is_string() && kind->get_string() == "input_required")
    return "has more questions where none may be asked: it answered a listing with 'input_required'";
  return "answered with a result of a kind that is not known: "
         + text::quoted_json(*kind, msg::limits::child_quote_bytes_max);
}

} // namespace mcp
