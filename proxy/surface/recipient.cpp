#include "proxy/surface/recipient.hpp"

#include "proxy/surface/known_clients.hpp"
#include "proxy/surface/results.hpp"

#include <boost/json/value.hpp>

#include <algorithm>

namespace surface {

size_t recipient::chars_max(size_t configured) const { return std::min(configured, characters_shown_by(client_name)); }

boost::json::object recipient::fitted(boost::json::object result) const {
  bool is_text = form == result_form::text;
  if (is_text && !shows_meta(client_name))
    report_in_meta(result);
  else if (is_text || !mcp::has_structured_content(revision))
    result.erase("structuredContent");
  if (is_text && guesses_structure(client_name))
    result["structuredContent"].emplace_object();
  return result;
}

} // namespace surface
