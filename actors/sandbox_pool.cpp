#include "actors/sandbox_pool.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::guest_phase;

sandbox_pool_state::~sandbox_pool_state() {
  for (auto& [number, member] : members_)
    if (member.waits)
      caf::anon_send_exit(member.sandbox, caf::exit_reason::user_shutdown);
}

/// An ordinary run takes a waiting guest, whatever it has come to: it is ahead of one that is started now. A run with
/// permissions or a session gets a guest of its own making.
msg::outcome<msg::guest_lease> sandbox_pool_state::take(const msg::guest_request& wish) {
  bool ordinary = wish.granted.empty() && wish.session.empty();
  auto found = ordinary ? furthest_waiting() : members_.end();
  bool hit = found != members_.end();
  if (hit) {
    found->second.waits = false;
  } else {
    found = members_.find(spawn(wish, false));
  }
  ++(hit ? served_warm_ : served_cold_);
  if (ordinary && options_.size > 0) {
    demand_.arrived(self_->clock().now());
    look_after(limits::pool_refill_delay);
  }
  return msg::guest_lease{found->second.sandbox, {}};
}

uint64_t sandbox_pool_state::spawn(const msg::guest_request& wish, bool waits) {
  auto number = ++last_number_;
  sandbox_options options{wish, options_.start, waits ? msg::sandbox_pool_actor{self_} : msg::sandbox_pool_actor{},
                          number, options_.audit};
  auto sandbox = self_->spawn(sandbox_guest, std::move(options));
  self_->monitor(sandbox);
  members_.emplace(number, member{std::move(sandbox), self_->clock().now(), guest_phase::starting, waits});
  return number;
}

std::map<uint64_t, sandbox_pool_state::member>::iterator sandbox_pool_state::furthest_waiting() {
  auto best = members_.end();
  for (auto m = members_.begin(); m != members_.end(); ++m)
    if (m->second.waits && (best == members_.end() || m->second.phase > best->second.phase))
      best = m;
  return best;
}

size_t sandbox_pool_state::waiting() const {
  return static_cast<size_t>(std::count_if(members_.begin(), members_.end(), [](auto& m) { return m.second.waits; }));
}

/// Of those that wait.
size_t sandbox_pool_state::starting() const {
  return static_cast<size_t>(std::count_if(members_.begin(), members_.end(), [](auto& m) {
    return m.second.waits && m.second.phase == guest_phase::starting;
  }));
}

/// By the demand, and by what the machine has for it.
size_t sandbox_pool_state::wanted(size_t waiting) {
  auto demanded = demand_.level(self_->clock().now());
  auto room = options_.room && std::max(waiting, demanded) > 0 ? options_.room() : memory_room::plenty;
  is_low_ = room == memory_room::low || (room == memory_room::enough && waiting < demanded);
  if (room == memory_room::low)
    return std::min(waiting - std::min<size_t>(waiting, 1), demanded);
  return room == memory_room::enough ? std::min(waiting, demanded) : demanded;
}

/// Brings the number of waiting guests nearer to what is wanted.
void sandbox_pool_state::look() {
  auto now = self_->clock().now();
  auto count = waiting(), wanted = this->wanted(count);
  if (options_.room && (is_low_ || wanted > 0))
    look_after(pool_room_pause);
  if (count < wanted)
    return start_missing(wanted - count);
  if (count > wanted) {
    auto surplus = furthest_waiting();
    surplus->second.waits = false;
    self_->send_exit(surplus->second.sandbox, caf::exit_reason::user_shutdown);
    return look_after(limits::pool_refill_delay);
  }
  if (auto sinks_at = demand_.sinks_at(); sinks_at != resilience::demand::time_point::max())
    look_after(sinks_at - now);
}

void sandbox_pool_state::start_missing(size_t count) {
  auto now = self_->clock().now();
  if (now < no_start_before_)
    return look_after(no_start_before_ - now);
  bool is_preparing = options_.is_preparing && options_.is_preparing();
  if (!is_preparing)
    for (auto busy = starting(); count > 0 && busy < options_.starts_max; ++busy, --count)
      spawn({options_.lang, {}, {}, false}, true);
  look_after(limits::pool_refill_delay);
}

void sandbox_pool_state::reached(uint64_t number, guest_phase phase) {
  backoff_.succeeded(); // this kind of guest can live
  auto found = members_.find(number);
  if (found == members_.end())
    return;
  if (found->second.phase == guest_phase::starting)
    demand_.made(self_->clock().now() - found->second.begun);
  found->second.phase = phase;
}

/// A look that is to come earlier will do; it sees to those after it. A later one must not stand in the way of this.
void sandbox_pool_state::look_after(caf::timespan delay) {
  auto when = self_->clock().now() + delay;
  if (!looks_.empty() && *looks_.begin() <= when)
    return;
  looks_.insert(when);
  self_->delayed_send(self_, delay, msg::tick_atom::value);
}

void sandbox_pool_state::tick() {
  if (!looks_.empty())
    looks_.erase(looks_.begin());
  look();
}

/// One that died waiting is replaced, later each time: its successor would most likely die as well.
void sandbox_pool_state::gone(const caf::actor_addr& who) {
  auto found =
    std::find_if(members_.begin(), members_.end(), [&](auto& m) { return m.second.sandbox.address() == who; });
  if (found == members_.end())
    return;
  bool died_waiting = found->second.waits;
  members_.erase(found);
  if (!died_waiting)
    return;
  auto pause = backoff_.failed();
  no_start_before_ = self_->clock().now() + pause;
  look_after(pause);
}

msg::pool_status sandbox_pool_state::status() {
  msg::pool_status s;
  s.lang = options_.lang;
  for (auto& [number, m] : members_) {
    s.waiting += m.waits;
    s.warm += m.waits && m.phase == guest_phase::warm;
  }
  s.target = is_low_ ? s.waiting : static_cast<uint32_t>(demand_.level(self_->clock().now()));
  s.served_warm = served_warm_;
  s.served_cold = served_cold_;
  if (options_.guest_template)
    s.guest_template = options_.guest_template();
  return s;
}

msg::sandbox_pool_actor::behavior_type sandbox_pool_state::make_behavior(sandbox_pool_options options) {
  options_ = std::move(options);
  demand_ = {options_.size, options_.size_max, options_.idle_after};
  no_start_before_ = self_->clock().now();
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { gone(down.source); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [number, member] : members_)
      self_->send_exit(member.sandbox, m.reason);
    self_->quit(std::move(m.reason));
  });
  if (options_.size > 0)
    look_after(limits::pool_first_delay);
  return {
    [this](msg::take_atom, const msg::guest_request& wish) { return take(wish); },
    [this](msg::status_atom) { return status(); },
    [this](msg::phase_atom, uint64_t number, guest_phase phase) { reached(number, phase); },
    [this](msg::tick_atom) { tick(); },
  };
}

msg::sandbox_pool_actor::behavior_type sandbox_pool(msg::sandbox_pool_actor::stateful_pointer<sandbox_pool_state> self,
                                                    sandbox_pool_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
