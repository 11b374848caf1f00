#include "actors/server_reports.hpp"

#include "actors/child/server_fault.hpp"
#include "actors/child/tool_review.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

server_reports::server_reports(msg::child_server_actor::pointer self, std::string server,
                               msg::connector_actor connector, msg::audit_log_actor audit)
  : self_(self),
    server_(std::move(server)),
    connector_(std::move(connector)),
    audit_(std::move(audit)),
    record_(server_) {}

void server_reports::running(bool runs) {
  if (connector_)
    self_->send(connector_, msg::running_atom::value, server_, runs);
}

void server_reports::state(const child::lifecycle& life, const child::restart_policy& restarts,
                           std::chrono::steady_clock::time_point now) {
  if (!audit_)
    return;
  for (auto& event : record_.changes(life.state(), restarts.breaker(now), restarts.last_error()))
    self_->send(audit_, msg::audit_atom::value, std::move(event));
}

void server_reports::tools(const msg::listed_tools& list,
                           const std::function<void(msg::outcome<std::vector<std::string>>)>& then) {
  if (!connector_)
    return;
  self_->request(connector_, child::review_answer_max, msg::tools_atom::value, server_, list)
    .then([then](msg::outcome<std::vector<std::string>>& held) { then(std::move(held)); },
          [then, server = server_](caf::error&) {
            then(child::server_fault(server, msg::errc::internal, "has told its tools, and nobody looked at them"));
          });
}

} // namespace actors
