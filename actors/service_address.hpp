// The address of an actor that its supervisor starts anew when it dies: holders of the handle find the one that serves
// now, and need not know. Messages go straight through, without a hop. While none serves, requests are answered with an
// error at once, and all else is dropped.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/sec.hpp>

#include <mutex>
#include <utility>

namespace actors {

class service_address : public caf::monitorable_actor {
public:
  static caf::strong_actor_ptr make(caf::actor_system& system) {
    caf::actor_config cfg;
    return caf::make_actor<service_address, caf::strong_actor_ptr>(system.next_actor_id(), system.node(), &system, cfg);
  }
  static service_address& of(const caf::strong_actor_ptr& address) {
    return dynamic_cast<service_address&>(*caf::actor_cast<caf::abstract_actor*>(address));
  }

  explicit service_address(caf::actor_config& cfg) : monitorable_actor(cfg) {}

  /// Null: no actor.
  void lead_to(caf::strong_actor_ptr actor) {
    std::lock_guard lock{mutex_};
    actor_ = std::move(actor);
  }

  /// From any thread, as for all actors.
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) override {
    if (auto to = now())
      to->enqueue(std::move(what), host);
    else
      caf::detail::sync_request_bouncer{caf::sec::request_receiver_down}(*what);
  }
  const char* name() const override { return "service_address"; }

private:
  caf::strong_actor_ptr now() {
    std::lock_guard lock{mutex_};
    return actor_;
  }

  std::mutex mutex_;
  caf::strong_actor_ptr actor_;
};

} // namespace actors
