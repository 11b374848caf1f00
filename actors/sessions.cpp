#include "actors/sessions.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::session_state;

namespace {

/// A pool answers at once; only so that the wait is finite.
constexpr std::chrono::seconds pool_answer_max{5};

constexpr const char* ended_between = "its process ended between two runs";

} // namespace

sessions_state::~sessions_state() {
  for (auto& [of, s] : sessions_)
    if (s.sandbox)
      caf::anon_send_exit(s.sandbox, caf::exit_reason::user_shutdown);
}

caf::result<msg::outcome<msg::guest_lease>> sessions_state::take(msg::guest_request& wish) {
  key of{wish.lang, wish.owner, wish.session};
  auto& s = sessions_[of];
  if (s.number == 0)
    s.number = ++last_number_;
  if (s.holder && s.holder == caf::actor_cast<caf::actor_addr>(self_->current_sender()))
    return begin_again(of, s, std::move(wish));
  if (s.busy && s.queue.size() >= limits::session_queue_max)
    return msg::outcome<msg::guest_lease>{fault{errc::overloaded, std::to_string(s.queue.size())
                                                                    + " runs wait for the session '" + wish.session
                                                                    + "', which is the limit; try again later"}};
  auto run = self_->current_sender();
  auto promise = reply_promise<msg::outcome<msg::guest_lease>>{self_};
  auto number = ++last_number_;
  waiting_run waiting{number, std::move(wish), promise, std::move(run)};
  if (!s.busy) {
    grant(of, s, std::move(waiting));
    return promise;
  }
  s.queue.push_back(std::move(waiting));
  self_->delayed_send(self_, options_.queue_wait_max, msg::deadline_atom::value, number);
  return promise;
}

/// The run that has it has found its guest dead, and keeps its turn.
caf::result<msg::outcome<msg::guest_lease>> sessions_state::begin_again(const key& of, session& s,
                                                                        msg::guest_request wish) {
  self_->demonitor(std::exchange(s.holder, {}));
  end(s, ended_between);
  auto run = self_->current_sender(); // the promise takes it
  auto promise = reply_promise<msg::outcome<msg::guest_lease>>{self_};
  start(of, s, {++last_number_, std::move(wish), promise, std::move(run)});
  return promise;
}

/// The session is free.
void sessions_state::grant(key of, session& s, waiting_run run) {
  s.busy = true;
  if (s.sandbox && run.wish.reset_session)
    end(s, "it was reset");
  if (!s.sandbox)
    return start(of, s, std::move(run));
  if (run.wish.granted != s.granted) {
    s.busy = false;
    run.promise.deliver(msg::outcome<msg::guest_lease>{
      fault{errc::invalid_argument, "the session '" + of.name
                                      + "' was started with other permissions, and they hold for its whole life; "
                                        "pass the same, or resetSession: true to start it again"}});
    return next(of, s);
  }
  hand_over(s, run.run, std::move(run.promise), {of.name, session_state::kept, {}});
}

/// A run that dies without a word gives it back by that.
void sessions_state::hand_over(session& s, const caf::strong_actor_ptr& run, lease_promise promise,
                               msg::session_note note) {
  if (note.state == session_state::kept && s.untold.state != session_state::none)
    note = std::move(s.untold);
  s.untold = {};
  s.told = note;
  s.holder = caf::actor_cast<caf::actor_addr>(run);
  self_->monitor(caf::actor_cast<caf::actor>(run));
  promise.deliver(msg::outcome<msg::guest_lease>{msg::guest_lease{s.sandbox, std::move(note)}});
}

void sessions_state::start(key of, session& s, waiting_run run) {
  if (living_of(of.owner) >= options_.sessions_max
      || (living() >= std::max(options_.in_all_max, options_.sessions_max) && !make_room(of.owner))) {
    s.busy = false;
    run.promise.deliver(msg::outcome<msg::guest_lease>{too_many(of.owner)});
    return next(of, s);
  }
  s.granted = run.wish.granted;
  s.starting = std::move(run.promise);
  auto answer = [this, of, who = run.run](msg::outcome<msg::guest_lease>& lease) {
    started(of, std::move(lease), who);
  };
  auto failed = [this, of, who = run.run](caf::error&) {
    started(of, fault{errc::internal, "the pool of guests does not answer"}, who);
  };
  self_->request(options_.pools.at(of.lang), pool_answer_max, msg::take_atom::value, std::move(run.wish))
    .then(answer, failed);
}

void sessions_state::started(key of, msg::outcome<msg::guest_lease> lease, const caf::strong_actor_ptr& run) {
  auto& s = sessions_[of];
  auto promise = std::exchange(s.starting, {});
  if (!lease.ok()) {
    s.busy = false;
    promise.deliver(std::move(lease));
    return next(of, s);
  }
  s.sandbox = lease.value.sandbox;
  self_->monitor(s.sandbox);
  hand_over(s, run, std::move(promise), {of.name, session_state::fresh, std::exchange(s.ended_because, {})});
}

void sessions_state::released(const key& of, const std::string& lost_because) {
  auto found = sessions_.find(of);
  if (found == sessions_.end())
    return;
  auto& s = found->second;
  s.busy = false;
  s.free_since = self_->clock().now();
  if (s.holder)
    self_->demonitor(std::exchange(s.holder, {}));
  if (s.is_abandoned)
    end(s, {});
  else if (!lost_because.empty())
    end(s, "the run before ended it: " + lost_because);
  self_->delayed_send(self_, options_.idle_max, msg::tick_atom::value, s.number, ++s.releases);
  next(of, s);
}

/// The run has ended before it began: the next run hears what it was told.
void sessions_state::not_begun(const key& of) {
  if (auto found = sessions_.find(of); found != sessions_.end())
    found->second.untold = std::move(found->second.told);
  released(of, {});
}

/// Last thing that is done with `s`: it may be gone afterwards.
void sessions_state::next(key of, session& s) {
  if (s.busy)
    return;
  if (s.queue.empty()) {
    if (!s.sandbox && s.ended_because.empty())
      sessions_.erase(of);
    return;
  }
  auto run = std::move(s.queue.front());
  s.queue.pop_front();
  grant(of, s, std::move(run));
}

void sessions_state::end(session& s, std::string why) {
  s.ended_because = std::move(why);
  if (!s.sandbox)
    return;
  self_->demonitor(s.sandbox.address());
  self_->send_exit(s.sandbox, caf::exit_reason::user_shutdown);
  s.sandbox = nullptr;
}

void sessions_state::give_up_waiting(uint64_t number) {
  for (auto& [of, s] : sessions_) {
    auto run = std::find_if(s.queue.begin(), s.queue.end(), [&](auto& w) { return w.number == number; });
    if (run == s.queue.end())
      continue;
    run->promise.deliver(msg::outcome<msg::guest_lease>{
      fault{errc::overloaded, "waited " + std::to_string(options_.queue_wait_max.count()) + " ms for the session '"
                                + of.name + "', in which another run goes on; that is the limit; try again later"}});
    s.queue.erase(run);
    return;
  }
}

void sessions_state::look_at_idle(uint64_t number, uint64_t releases) {
  auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](auto& s) { return s.second.number == number; });
  if (found == sessions_.end() || found->second.busy || found->second.releases != releases)
    return;
  if (!found->second.sandbox) {
    sessions_.erase(found);
    return;
  }
  end(found->second, "it was idle for " + std::to_string(options_.idle_max.count() / 1'000) + " s");
  // The reason is forgotten after as long again.
  self_->delayed_send(self_, options_.idle_max, msg::tick_atom::value, number, releases);
}

/// A guest between two runs, or a run. A guest that dies in a run is that run's to report.
void sessions_state::gone(const caf::actor_addr& who) {
  auto held = std::find_if(sessions_.begin(), sessions_.end(), [&](auto& s) { return s.second.holder == who; });
  if (held != sessions_.end())
    return released(key{held->first}, "it did not end in order");
  for (auto& [of, s] : sessions_)
    if (s.sandbox && s.sandbox.address() == who) {
      s.sandbox = nullptr;
      s.ended_because = ended_between;
    }
}

/// Runs that still have one are being cancelled.
void sessions_state::abandon(const std::string& owner) {
  for (auto& [of, s] : sessions_) {
    if (of.owner != owner)
      continue;
    s.is_abandoned = true;
    if (!s.busy)
      end(s, {});
  }
  std::erase_if(sessions_, [](auto& each) { return each.second.is_abandoned && !each.second.busy; });
}

size_t sessions_state::living() const {
  return static_cast<size_t>(
    std::count_if(sessions_.begin(), sessions_.end(), [](auto& s) { return bool{s.second.sandbox}; }));
}

/// Names of other owners are not told.
size_t sessions_state::living_of(const std::string& owner) const {
  return static_cast<size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                           [&](auto& s) { return s.first.owner == owner && s.second.sandbox; }));
}

/// The one that is free for the longest time, of the other owner that has most, ends. False: all are in use.
bool sessions_state::make_room(const std::string& for_owner) {
  std::pair<const key, session>* last = nullptr;
  size_t most = 0;
  for (auto& each : sessions_) {
    auto& [of, s] = each;
    if (!s.sandbox || s.busy || of.owner == for_owner)
      continue;
    auto its = living_of(of.owner);
    if (!last || its > most || (its == most && s.free_since < last->second.free_since)) {
      last = &each;
      most = its;
    }
  }
  if (last)
    end(last->second, "it made room for a session of another client");
  return last != nullptr;
}

fault sessions_state::too_many(const std::string& owner) const {
  std::string names;
  for (auto& [of, s] : sessions_)
    if (s.sandbox && of.owner == owner)
      names += (names.empty() ? "" : ", ") + of.name;
  return {errc::limit_exceeded, "there are " + std::to_string(options_.sessions_max) + " sessions"
                                  + (names.empty() ? "" : " (" + names + ")")
                                  + ", which is the limit (sessions.max); use one of them, or run without a session"};
}

msg::sessions_actor::behavior_type sessions_state::make_behavior(sessions_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { gone(down.source); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [of, s] : sessions_) {
      for (auto& run : std::exchange(s.queue, {}))
        run.promise.deliver(msg::outcome<msg::guest_lease>{fault{errc::shutting_down, "the server is being stopped"}});
      if (s.starting.pending())
        s.starting.deliver(msg::outcome<msg::guest_lease>{fault{errc::shutting_down, "the server is being stopped"}});
      end(s, "");
    }
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::take_atom, msg::guest_request& wish) { return take(wish); },
    [this](msg::release_atom, const key& of, const std::string& lost_because) { released(of, lost_because); },
    [this](msg::cancel_atom, const key& of) { not_begun(of); },
    [this](msg::closed_atom, const std::string& owner) { abandon(owner); },
    [this](msg::status_atom) {
      msg::session_list list;
      for (auto& [of, s] : sessions_)
        if (s.sandbox)
          list.push_back({of.lang, of.name, s.busy, static_cast<uint32_t>(s.queue.size()), of.owner});
      return list;
    },
    [this](msg::deadline_atom, uint64_t number) { give_up_waiting(number); },
    [this](msg::tick_atom, uint64_t number, uint64_t releases) { look_at_idle(number, releases); },
  };
}

msg::sessions_actor::behavior_type sessions(msg::sessions_actor::stateful_pointer<sessions_state> self,
                                            sessions_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
