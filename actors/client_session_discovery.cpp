// The tools of a client's session that run no program.
#include "actors/client/patience.hpp"
#include "actors/client/scarce_memory.hpp"
#include "actors/client_session.hpp"
#include "proxy/surface/discovery_results.hpp"
#include "proxy/surface/health.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

namespace json = boost::json;
namespace limits = msg::limits;
using client::answer_timeout;
using client::health_patience;
using client::start_patience;
using msg::errc;
using std::chrono::milliseconds;

void client_session_state::search_tools(number n, const json::object& arguments) {
  auto parsed = surface::parse_search(arguments);
  if (!parsed.ok())
    return fail(n, parsed.error);
  fail_at_stop(n);
  auto patience = limits::discovery_timeout + milliseconds{answer_timeout};
  self_->request(options_.connector, patience, msg::search_atom::value, parsed.value.query)
    .then(
      [this, n, asked = std::move(parsed.value)](msg::outcome<msg::tool_matches>& found) {
        client::work_for(*protocol_, n, [&] { respond(n, surface::search_result(asked, found)); });
      },
      [this, n](caf::error&) {
        fail(n, {errc::internal, "the search did not answer"});
      });
}

void client_session_state::get_tool_signature(number n, const json::object& arguments) {
  auto parsed = surface::parse_signature(arguments);
  if (!parsed.ok())
    return fail(n, parsed.error);
  fail_at_stop(n);
  self_
    ->request(options_.connector, start_patience, msg::describe_atom::value, std::move(parsed.value),
              msg::tool_filter{})
    .then(
      [this, n](msg::outcome<msg::tool_info>& tool) {
        client::work_for(*protocol_, n, [&] { respond(n, surface::signature_result(tool)); });
      },
      [this, n](caf::error&) {
        fail(n, {errc::internal, "the connector did not answer"});
      });
}

void client_session_state::list_servers(number n, const json::object& arguments) {
  if (auto none = surface::parse_nothing(arguments); !none.ok())
    return fail(n, none.error);
  fail_at_stop(n);
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n](msg::server_list& list) {
        auto problems = options_.config_problems ? options_.config_problems() : std::vector<std::string>{};
        client::work_for(*protocol_, n, [&] { respond(n, surface::servers_result(list, problems)); });
      },
      [this, n](caf::error&) {
        fail(n, {errc::internal, "the connector did not answer"});
      });
}

void client_session_state::health(number n, const json::object& arguments) {
  if (auto none = surface::parse_nothing(arguments); !none.ok())
    return fail(n, none.error);
  fail_at_stop(n);
  self_->request(options_.health, health_patience, msg::status_atom::value)
    .then(
      [this, n](const msg::health_report& now) {
        client::work_for(*protocol_, n,
                         [&] { respond(n, surface::document_result(surface::health_doc(now, options_.owner))); });
      },
      [this, n](caf::error&) {
        fail(n, {errc::internal, "the server does not answer"});
      });
}

} // namespace actors
