#include "actors/admission.hpp"

#include "actors/type_check.hpp"
#include "messages/invariant.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;

namespace {

/// An execution ends by its own deadline and always reports; this makes the wait finite if it does not. Its time begins
/// when its types are checked (as long again, and a wait before) and its session is free.
std::chrono::milliseconds report_max(const msg::run_request& run) {
  constexpr std::chrono::milliseconds slack{10'000};
  auto own = std::chrono::milliseconds{run.timeout_ms};
  auto check = run.type_check ? own + type_check_wait_max : std::chrono::milliseconds{0};
  auto queue = run.session.empty() ? std::chrono::milliseconds{0} : msg::limits::run_queue_wait_most;
  return check + queue + own + slack;
}
/// Then the process may just have stood still, and the run's own deadline is as late as this one.
constexpr std::chrono::milliseconds last_moment{1'000};
/// Of the places for runs: 1/clients_share is for clients that have none, where there are so many.
constexpr size_t clients_share = 8;
/// The limiter answers at once; only so that the wait is finite.
constexpr std::chrono::seconds limiter_timeout{5};

msg::run_report refused(errc code, std::string why, msg::run_status status = msg::run_status::error) {
  msg::run_report r;
  r.status = status;
  r.exit_code = 1;
  r.error.code = code;
  r.error.message = std::move(why);
  return r;
}

} // namespace

admission_state::~admission_state() {
  for (auto& [id, run] : running_)
    caf::anon_send_exit(run.execution, caf::exit_reason::user_shutdown);
}

caf::result<msg::run_report> admission_state::take(msg::run_request& request, msg::run_listener& listener) {
  if (stopping_)
    return refused(errc::shutting_down, "the server is being stopped");
  auto id = request.id;
  auto client = request.client;
  auto promise = reply_promise<msg::run_report>{self_};
  waiting_run run{std::move(request), std::move(listener), promise};
  if (options_.rate.requests == 0) {
    admit(std::move(run));
    return promise;
  }
  asking_.emplace(id, std::move(run));
  auto go_on = [this, id](const msg::fault& why) {
    auto asked = asking_.extract(id);
    if (asked && why.code == errc::none)
      admit(std::move(asked.mapped()));
    else if (asked)
      asked.mapped().promise.deliver(refused(why.code, why.message));
  };
  msg::rate_claims claims{
    {"client " + std::to_string(client), options_.rate, "the number of runs of a client", "rateLimit"}};
  self_->request(options_.limiter, limiter_timeout, msg::take_atom::value, std::move(claims))
    .then([go_on](const msg::fault& why) { go_on(why); },
          [go_on](caf::error&) {
            go_on({errc::internal, "the rate limiter did not answer"});
          });
  return promise;
}

void admission_state::admit(waiting_run run) {
  if (may_have(run.request.client, state::goes_on))
    start(std::move(run));
  else
    queue(std::move(run));
}

/// Places that clients could hold for as long as their runs last are no places for others: one client has its share,
/// and those that hold something leave the last places to those that have nothing.
bool admission_state::may_have(uint64_t client, state which) const {
  size_t all = 0, its = 0;
  for (auto& [id, run] : running_)
    if (run.rests == (which == state::rests)) {
      ++all;
      its += run.client == client ? 1 : 0;
    }
  if (all >= options_.runs_max || options_.client_runs_max == 0)
    return all < options_.runs_max;
  return its == 0 || (its < options_.client_runs_max && options_.runs_max - all > options_.runs_max / clients_share);
}

/// A full queue is shared evenly: who has more waiting than the others gives way to one that has less.
void admission_state::queue(waiting_run run) {
  auto id = run.request.id;
  auto client = run.request.client;
  auto busy = refused(errc::overloaded,
                      "busy: " + std::to_string(places_taken()) + " runs go on and " + std::to_string(queue_.size())
                        + " wait, which are the limits (runs.maxConcurrent, runs.queueSize); try again later");
  if (queue_.size() >= options_.queued_max) {
    if (queue_.largest_size() <= queue_.size_of(client) + 1) {
      run.promise.deliver(std::move(busy));
      return;
    }
    queue_.remove_from_largest()->promise.deliver(std::move(busy));
  }
  queue_.push(client, id, std::move(run));
  self_->delayed_send(self_, options_.queue_wait_max, msg::deadline_atom::value, id);
}

void admission_state::start(waiting_run run) {
  auto id = run.request.id;
  auto actor = options_.spawn_execution(self_);
  self_->monitor(actor);
  auto patience = report_max(run.request);
  bool is_new = running_.emplace(id, running_run{actor, run.promise, run.request.client, patience}).second;
  msg::ensure(is_new && places_taken() <= options_.runs_max,
              "runs have numbers of their own, and begin with a place each");
  self_->delayed_send(self_, patience, msg::tick_atom::value, id);
  self_->request(actor, caf::infinite, msg::run_atom::value, std::move(run.request), std::move(run.listener))
    .then([this, id](msg::run_report& r) { report(id, std::move(r)); },
          [this, id, actor](caf::error& e) {
            self_->send_exit(actor, caf::exit_reason::kill); // no actor hears of it any more
            report(id, refused(errc::internal, "the run ended without a report: " + caf::deep_to_string(e)));
          });
}

/// CAF tells no actor of a promise that is gone with its actor: without this, the client would wait for as long as the
/// run may take.
void admission_state::execution_died(const caf::down_msg& m) {
  auto died =
    std::find_if(running_.begin(), running_.end(), [&](auto& r) { return r.second.execution.address() == m.source; });
  if (died != running_.end())
    report(died->first,
           refused(errc::internal, "the run ended without a report, because what looked after it has failed: "
                                     + caf::deep_to_string(m.reason) + "; run it again"));
}

/// The first one counts.
void admission_state::report(uint64_t run, msg::run_report report) {
  auto ended = running_.extract(run);
  if (!ended)
    return;
  self_->demonitor(ended.mapped().execution.address());
  ended.mapped().promise.deliver(std::move(report));
  ++finished_;
  start_waiting();
  if (running_.empty())
    for (auto& promise : std::exchange(want_stop_, {}))
      promise.deliver(true);
}

void admission_state::start_waiting() {
  while (auto next = queue_.pop_of([this](uint64_t client) { return may_have(client, state::goes_on); }))
    start(std::move(*next));
}

size_t admission_state::places_taken() const {
  return static_cast<size_t>(std::count_if(running_.begin(), running_.end(), [](auto& r) { return !r.second.rests; }));
}

/// Its guest lives on: no more rest than there are places, nor of one client than it may have.
bool admission_state::rest(uint64_t run) {
  auto found = running_.find(run);
  if (found == running_.end() || (!found->second.rests && !may_have(found->second.client, state::rests)))
    return false;
  found->second.rests = found->second.has_rested = true;
  start_waiting();
  return true;
}

/// At once: who has answered does not wait for others.
void admission_state::go_on(uint64_t run) {
  if (auto found = running_.find(run); found != running_.end())
    found->second.rests = false;
}

void admission_state::end_overdue(uint64_t run) {
  auto found = running_.find(run);
  if (found == running_.end())
    return;
  auto& overdue = found->second;
  if (overdue.rests || std::exchange(overdue.has_rested, false)) {
    overdue.is_overdue = false;
    self_->delayed_send(self_, overdue.report_max, msg::tick_atom::value, run);
    return;
  }
  if (!std::exchange(overdue.is_overdue, true)) {
    self_->delayed_send(self_, last_moment, msg::tick_atom::value, run);
    return;
  }
  self_->send_exit(overdue.execution, caf::exit_reason::kill); // it tells the record and reports by that, or is down
}

void admission_state::give_up_waiting(uint64_t run, errc code, const std::string& why) {
  auto found = queue_.remove(run);
  if (auto asked = asking_.extract(run))
    found = std::move(asked.mapped());
  if (found)
    found->promise.deliver(
      refused(code, why, code == errc::cancelled ? msg::run_status::cancelled : msg::run_status::error));
}

void admission_state::refuse_all() {
  for (auto& waiting : queue_.take_all())
    waiting.promise.deliver(refused(errc::shutting_down, "the server is being stopped"));
  for (auto& [id, waiting] : std::exchange(asking_, {}))
    waiting.promise.deliver(refused(errc::shutting_down, "the server is being stopped"));
}

caf::result<bool> admission_state::stop() {
  stopping_ = true;
  refuse_all();
  for (auto& [id, run] : running_)
    self_->send(run.execution, msg::stop_atom::value);
  if (running_.empty())
    return true;
  auto promise = reply_promise<bool>{self_};
  want_stop_.push_back(promise);
  return promise;
}

msg::admission_actor::behavior_type admission_state::make_behavior(admission_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](const caf::down_msg& m) { execution_died(m); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    refuse_all();
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::run_atom, msg::run_request& request, msg::run_listener& listener) { return take(request, listener); },
    [this](msg::cancel_atom, uint64_t run) {
      give_up_waiting(run, errc::cancelled, "the request was cancelled");
      if (auto found = running_.find(run); found != running_.end())
        self_->send(found->second.execution, msg::cancel_atom::value);
    },
    [this](msg::rest_atom, uint64_t run) { return rest(run); },
    [this](msg::go_on_atom, uint64_t run) { go_on(run); },
    [this](msg::tick_atom, uint64_t run) { end_overdue(run); },
    [this](msg::status_atom) {
      return msg::admission_status{static_cast<uint32_t>(running_.size()), static_cast<uint32_t>(queue_.size()),
                                   finished_};
    },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::deadline_atom, uint64_t run) {
      give_up_waiting(run, errc::overloaded,
                      "waited " + std::to_string(options_.queue_wait_max.count())
                        + " ms for a place to run, which is the limit (runs.queueTimeoutMs); try again later");
    },
  };
}

msg::admission_actor::behavior_type admission(msg::admission_actor::stateful_pointer<admission_state> self,
                                              admission_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
