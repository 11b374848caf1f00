// The resources of a client session: outputs of runs, and the manual.
#include "actors/client_session.hpp"
#include "messages/limits.hpp"
#include "proxy/artifacts/resource.hpp"
#include "proxy/surface/capabilities.hpp"
#include "proxy/surface/resources.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>

namespace actors {

namespace limits = msg::limits;
using msg::errc;

namespace {

/// Only so that the waits are finite: the worker may have much to write before.
constexpr std::chrono::seconds list_timeout{10};
constexpr std::chrono::seconds read_timeout{60};

} // namespace

void client_session_state::list_resources(number n) {
  auto respond_with = [this, n](const std::vector<msg::kept_artifact>& kept) { protocol_->respond(n, msg::document{surface::resource_list(kept)}); };
  self_->request(options_.outputs, list_timeout, msg::outputs_atom::value, msg::artifact_request{})
    .then([respond_with](msg::outcome<msg::artifact_answer>& answer) { respond_with(answer.value.kept); },
          [respond_with](caf::error&) { respond_with({}); });
}

void client_session_state::read_resource(number n, const std::string& uri) {
  if (uri == surface::capabilities_uri)
    return protocol_->respond(n, msg::document{surface::capabilities_contents()});
  auto unknown = [this, n, shown = text::quoted(uri, limits::pattern_bytes_max)] {
    protocol_->respond_error(n, mcp::rpc_error::resource_not_found, "Unknown resource: " + shown);
  };
  msg::artifact_query query;
  query.handle = artifacts::handle_of(uri);
  if (query.handle.empty())
    return unknown();
  self_
    ->request(options_.outputs, read_timeout, msg::outputs_atom::value, msg::artifact_request{msg::artifact_operation::fetch, {}, std::move(query)})
    .then(
      [this, n, unknown](msg::outcome<msg::artifact_answer>& answer) {
        if (answer.ok())
          return protocol_->respond(n, std::move(answer.value.value));
        if (answer.error.code == errc::unknown_handle)
          return unknown();
        protocol_->respond_error(n, mcp::rpc_error::internal_error, answer.error.message);
      },
      [this, n](caf::error&) { protocol_->respond_error(n, mcp::rpc_error::internal_error, "the store of outputs did not answer"); });
}

} // namespace actors
