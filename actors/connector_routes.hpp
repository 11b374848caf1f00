// How the connector asks the catalog and the limiter: what its plain classes need, as functions.
#pragma once

#include "actors/server_actors.hpp"
#include "actors/servers/call_dispatch.hpp"
#include "actors/servers/server_search.hpp"
#include "actors/servers/tool_resolution.hpp"
#include "actors/servers/tool_reviews.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>

namespace actors {

/// A part of the connector, which outlives it with all that it refers to. What is asked is answered in the connector's
/// own context.
class connector_routes {
public:
  connector_routes(msg::connector_actor::pointer self, const connector_options& options)
    : self_(self),
      options_(options) {}

  servers::review_routes of_reviews() const;
  /// Without `list_tools`, which is the connector's own.
  servers::resolution_routes of_tools() const;
  servers::dispatch_routes of_calls() const;
  /// Without `list_tools` and `tell_again`, likewise.
  servers::search_routes of_searches() const;
  /// What results of the tool have looked like: a JSON Schema, or null.
  void ask_observed(const msg::tool_info& tool, std::function<void(msg::document)> then) const;

private:
  msg::connector_actor::pointer self_;
  const connector_options& options_;
};

} // namespace actors
