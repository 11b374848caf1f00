#include "actors/admission.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;

namespace {

/// An execution ends by its own deadline and always reports; this makes the wait finite if it does not.
constexpr std::chrono::milliseconds report_slack{10'000};

msg::run_report refused(errc code, std::string why, msg::run_status status = msg::run_status::error) {
  msg::run_report r;
  r.status = status;
  r.exit_code = 1;
  r.error.code = code;
  r.error.message = std::move(why);
  return r;
}

} // namespace

caf::result<msg::run_report> admission_state::take(msg::run_request& request, msg::run_listener& listener) {
  if (stopping_)
    return refused(errc::shutting_down, "the server is being stopped");
  bool full = running_.size() >= options_.runs_max;
  if (full && queue_.size() >= options_.queued_max)
    return refused(errc::overloaded, "busy: " + std::to_string(running_.size()) + " runs go on and " + std::to_string(queue_.size())
                                       + " wait, which are the limits; try again later");
  auto id = request.id;
  auto promise = self_->make_response_promise<msg::run_report>();
  waiting_run run{std::move(request), std::move(listener), promise};
  if (!full) {
    start(std::move(run));
  } else {
    queue_.push_back(std::move(run));
    self_->delayed_send(self_, options_.queue_wait_max, msg::deadline_atom::value, id);
  }
  return promise;
}

void admission_state::start(waiting_run run) {
  auto id = run.request.id;
  auto actor = options_.spawn_execution(self_);
  running_.emplace(id, actor);
  auto patience = std::chrono::milliseconds{run.request.timeout_ms} + report_slack;
  self_->request(actor, patience, msg::run_atom::value, std::move(run.request), std::move(run.listener))
    .then(
      [this, id, promise = run.promise](msg::run_report& report) mutable {
        promise.deliver(std::move(report));
        ended(id);
      },
      [this, id, promise = run.promise](caf::error& e) mutable {
        promise.deliver(refused(errc::internal, "the run ended without a report: " + caf::deep_to_string(e)));
        ended(id);
      });
}

void admission_state::ended(uint64_t run) {
  running_.erase(run);
  ++finished_;
  if (!queue_.empty() && running_.size() < options_.runs_max) {
    auto next = std::move(queue_.front());
    queue_.pop_front();
    start(std::move(next));
  }
  if (running_.empty())
    for (auto& promise : std::exchange(want_stop_, {}))
      promise.deliver(true);
}

void admission_state::give_up_waiting(uint64_t run, errc code, const std::string& why) {
  auto found = std::find_if(queue_.begin(), queue_.end(), [&](auto& w) { return w.request.id == run; });
  if (found == queue_.end())
    return;
  found->promise.deliver(refused(code, why, code == errc::cancelled ? msg::run_status::cancelled : msg::run_status::error));
  queue_.erase(found);
}

caf::result<bool> admission_state::stop() {
  stopping_ = true;
  for (auto& waiting : std::exchange(queue_, {}))
    waiting.promise.deliver(refused(errc::shutting_down, "the server is being stopped"));
  for (auto& [id, actor] : running_)
    self_->send(actor, msg::cancel_atom::value);
  if (running_.empty())
    return true;
  auto promise = self_->make_response_promise<bool>();
  want_stop_.push_back(promise);
  return promise;
}

msg::admission_actor::behavior_type admission_state::make_behavior(admission_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& waiting : std::exchange(queue_, {}))
      waiting.promise.deliver(refused(errc::shutting_down, "the server is being stopped"));
    for (auto& [id, actor] : running_)
      self_->send_exit(actor, m.reason);
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::run_atom, msg::run_request& request, msg::run_listener& listener) { return take(request, listener); },
    [this](msg::cancel_atom, uint64_t run) {
      give_up_waiting(run, errc::cancelled, "the request was cancelled");
      if (auto found = running_.find(run); found != running_.end())
        self_->send(found->second, msg::cancel_atom::value);
    },
    [this](msg::status_atom) {
      return msg::admission_status{static_cast<uint32_t>(running_.size()), static_cast<uint32_t>(queue_.size()), finished_};
    },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::deadline_atom, uint64_t run) {
      give_up_waiting(run, errc::overloaded,
                      "waited " + std::to_string(options_.queue_wait_max.count()) + " ms for a place to run, which is the limit; try again later");
    },
  };
}

msg::admission_actor::behavior_type admission(msg::admission_actor::stateful_pointer<admission_state> self, admission_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
