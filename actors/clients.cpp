#include "actors/clients.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace actors {

clients_state::~clients_state() {
  for (auto& [connection, c] : clients_) {
    caf::anon_send_exit(c.session, caf::exit_reason::user_shutdown);
    options_.failed(connection);
  }
}

msg::client_connection_actor clients_state::open(const msg::client_opening& opening) {
  if (!opening.comes_back && options_.owners.began)
    options_.owners.began(opening.owner);
  auto session = options_.open(self_, opening);
  self_->monitor(session);
  clients_.insert_or_assign(opening.connection, client{session, opening.owner, opening.comes_back});
  return session;
}

void clients_state::close(uint32_t connection) {
  auto gone = clients_.extract(connection);
  if (!gone)
    return;
  self_->demonitor(gone.mapped().session.address());
  self_->send(gone.mapped().session, msg::closed_atom::value);
  forget_owner(gone.mapped());
}

/// Others of the same owner keep its guests, and its memory.
void clients_state::forget_owner(const client& gone) {
  bool is_there = gone.comes_back || std::any_of(clients_.begin(), clients_.end(), [&](auto& c) {
                    return c.second.owner == gone.owner;
                  });
  if (is_there)
    return;
  if (options_.guests)
    self_->send(options_.guests, msg::closed_atom::value, gone.owner);
  if (options_.owners.ended)
    options_.owners.ended(gone.owner);
}

void clients_state::down(const caf::down_msg& down) {
  auto found =
    std::find_if(clients_.begin(), clients_.end(), [&](auto& c) { return c.second.session.address() == down.source; });
  if (found == clients_.end())
    return;
  auto [connection, gone] = std::move(*found);
  clients_.erase(found);
  if (down.reason != caf::exit_reason::normal) // else what it serves has ended
    spdlog::error("the session with the client of connection {} has failed ({})", connection,
                  self_->system().render(down.reason));
  options_.failed(connection);
  forget_owner(gone);
}

caf::result<bool> clients_state::stop() {
  auto promise = reply_promise<bool>{self_};
  auto outstanding = std::make_shared<size_t>(clients_.size() + 1);
  auto done = [outstanding, promise]() mutable {
    if (--*outstanding == 0)
      promise.deliver(true);
  };
  for (auto& [connection, c] : clients_)
    self_->request(c.session, options_.stop_max, msg::stop_atom::value)
      .then([done](bool) mutable { done(); }, [done](caf::error&) mutable { done(); });
  done();
  return promise;
}

msg::clients_actor::behavior_type clients_state::make_behavior(clients_options options) {
  options_ = std::move(options);
  if (options_.owners.none_yet)
    options_.owners.none_yet();
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](const caf::down_msg& m) { down(m); });
  return {
    [this](msg::attach_atom, const msg::client_opening& opening) { return open(opening); },
    [this](msg::closed_atom, uint32_t connection) { close(connection); },
    [this](msg::stop_atom) { return stop(); },
  };
}

msg::clients_actor::behavior_type clients(msg::clients_actor::stateful_pointer<clients_state> self,
                                          clients_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
