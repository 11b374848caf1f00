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
  if (ordinary && !hit && options_.size > 0) {
    target_ = std::min(target_ + 1, options_.size_max);
    last_miss_ = self_->clock().now();
  }
  if (ordinary)
    look_after(limits::pool_refill_delay);
  return msg::guest_lease{found->second.sandbox, {}};
}

uint64_t sandbox_pool_state::spawn(const msg::guest_request& wish, bool waits) {
  auto number = ++last_number_;
  sandbox_options options{wish, options_.start, waits ? msg::sandbox_pool_actor{self_} : msg::sandbox_pool_actor{},
                          number, options_.audit};
  auto sandbox = self_->spawn(sandbox_guest, std::move(options));
  self_->monitor(sandbox);
  members_.emplace(number, member{std::move(sandbox), guest_phase::starting, waits});
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

/// Brings the number of waiting guests nearer to the target. One start at a time: each takes the thread for a moment.
void sandbox_pool_state::look() {
  auto now = self_->clock().now();
  if (target_ > options_.size && now - last_miss_ >= options_.idle_after) {
    --target_;
    last_miss_ = now;
  }
  auto count = waiting();
  if (count > target_) {
    auto surplus = furthest_waiting();
    surplus->second.waits = false;
    self_->send_exit(surplus->second.sandbox, caf::exit_reason::user_shutdown);
    --count;
  }
  if (count < target_ && now < no_start_before_)
    return look_after(no_start_before_ - now);
  if (count < target_ && options_.is_preparing && options_.is_preparing())
    return look_after(limits::pool_refill_delay);
  if (count < target_) {
    spawn({options_.lang, {}, {}, false}, true);
    ++count;
  }
  if (count != target_)
    look_after(limits::pool_refill_delay);
  else if (target_ > options_.size)
    look_after(last_miss_ + options_.idle_after - now);
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

msg::pool_status sandbox_pool_state::status() const {
  msg::pool_status s;
  s.lang = options_.lang;
  for (auto& [number, m] : members_) {
    s.waiting += m.waits;
    s.warm += m.waits && m.phase == guest_phase::warm;
  }
  s.target = static_cast<uint32_t>(target_);
  s.served_warm = served_warm_;
  s.served_cold = served_cold_;
  if (options_.guest_template)
    s.guest_template = options_.guest_template();
  return s;
}

msg::sandbox_pool_actor::behavior_type sandbox_pool_state::make_behavior(sandbox_pool_options options) {
  options_ = std::move(options);
  target_ = options_.size;
  last_miss_ = no_start_before_ = self_->clock().now();
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { gone(down.source); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [number, member] : members_)
      self_->send_exit(member.sandbox, m.reason);
    self_->quit(std::move(m.reason));
  });
  if (target_ > 0)
    look_after(limits::pool_first_delay);
  return {
    [this](msg::take_atom, const msg::guest_request& wish) { return take(wish); },
    [this](msg::status_atom) { return status(); },
    [this](msg::phase_atom, uint64_t number, guest_phase phase) {
      if (auto found = members_.find(number); found != members_.end())
        found->second.phase = phase;
      backoff_.succeeded(); // this kind of guest can live
    },
    [this](msg::tick_atom) { tick(); },
  };
}

msg::sandbox_pool_actor::behavior_type sandbox_pool(msg::sandbox_pool_actor::stateful_pointer<sandbox_pool_state> self,
                                                    sandbox_pool_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
