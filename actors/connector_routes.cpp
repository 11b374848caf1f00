#include "actors/connector_routes.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// 500 servers may have been started at once, and writing 23,000 tools takes 2 s.
constexpr std::chrono::seconds review_timeout{60};
/// Behind the indexing of many servers, or a disk that is slow.
constexpr std::chrono::seconds catalog_timeout{10};
/// The limiter answers at once; only so that the wait is finite.
constexpr std::chrono::seconds limiter_timeout{5};

} // namespace

servers::review_routes connector_routes::of_reviews() const {
  servers::review_routes to;
  to.ask = [this](const msg::server_entry& entry, const msg::listed_tools& list, auto then) {
    self_->request(options_.catalog, review_timeout, msg::tools_atom::value, entry, list)
      .then([then](msg::outcome<msg::reviewed_tools>& reviewed) { then(std::move(reviewed)); },
            [then](caf::error&) { then(std::nullopt); });
  };
  to.by_message = [this](uint64_t number) {
    return [me = caf::actor_cast<msg::connector_actor>(self_), number](fault problem) {
      caf::anon_send(me, msg::checked_atom::value, number, std::move(problem));
    };
  };
  return to;
}

servers::resolution_routes connector_routes::of_tools() const {
  servers::resolution_routes to;
  to.ask_catalog = [this](const msg::tool_ref& ref, const msg::tool_filter& allowed, auto then) {
    self_->request(options_.catalog, catalog_timeout, msg::resolve_atom::value, ref, allowed)
      .then([then](msg::outcome<msg::tool_info>& known) { then(std::move(known)); },
            [then](caf::error&) { then(std::nullopt); });
  };
  return to;
}

servers::dispatch_routes connector_routes::of_calls() const {
  servers::dispatch_routes to;
  to.now = [this] { return self_->clock().now(); };
  to.take_tokens = [this](msg::rate_claims claims, auto then) {
    if (!options_.limiter)
      return then({});
    self_->request(options_.limiter, limiter_timeout, msg::take_atom::value, std::move(claims))
      .then([then](fault& why) { then(std::move(why)); },
            [then](caf::error&) {
              then({errc::internal, "the rate limiter did not answer"});
            });
  };
  return to;
}

servers::search_routes connector_routes::of_searches() const {
  servers::search_routes to;
  to.ask_catalog = [this](const msg::tool_query& query, auto then) {
    self_->request(options_.catalog, catalog_timeout, msg::search_atom::value, query)
      .then([then](msg::outcome<msg::catalog_found>& found) { then(std::move(found)); },
            [then](caf::error&) {
              then(fault{errc::internal, "the catalog of tools did not answer"});
            });
  };
  return to;
}

void connector_routes::ask_observed(const msg::tool_info& tool, std::function<void(msg::document)> then) const {
  self_
    ->request(options_.catalog, catalog_timeout, msg::observed_atom::value, msg::tool_ref{"", tool.server, tool.name})
    .then([then](msg::outcome<msg::document>& schema) { then(std::move(schema.value)); },
          [then](caf::error&) { then({}); });
}

} // namespace actors
