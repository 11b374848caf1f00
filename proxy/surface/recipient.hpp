// Who gets a result: how much that client shows of it, and in which of its parts.
#pragma once

#include "mcp/revision.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>

namespace surface {

struct recipient {
  std::string client_name; ///< as it gave it; empty: it gave none
  mcp::revision revision = mcp::latest_revision;
  result_form form = result_form::text; ///< as it is configured

  /// Characters of each part of a result: as configured, or fewer if the client would cut it.
  size_t chars_max(size_t configured) const;
  /// A result with a `structuredContent`, as this client is sent it: what is for programs stands where its model does
  /// not get it.
  boost::json::object fitted(boost::json::object result) const;
};

} // namespace surface
