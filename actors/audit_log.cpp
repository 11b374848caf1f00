#include "actors/audit_log.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <new>
#include <utility>

namespace actors {

namespace limits = msg::limits;
using msg::audit_kind;

namespace {

size_t bytes_of(const msg::audit_event& event) { return event.code.size() + event.arguments.held_bytes(); }

msg::audit_event lost_event(uint64_t count, const std::string& why) {
  msg::audit_event e;
  e.kind = audit_kind::lost;
  e.state = std::to_string(count) + " events";
  e.success = false;
  e.error = why;
  return e;
}

} // namespace

void audit_log_state::count(const msg::audit_event& event) {
  switch (event.kind) {
    case audit_kind::run:
      ++(event.success                ? counts_.runs_succeeded
         : event.state == "timeout"   ? counts_.runs_timed_out
         : event.state == "cancelled" ? counts_.runs_cancelled
                                      : counts_.runs_failed);
      return;
    case audit_kind::tool_call: ++(event.success ? counts_.calls_succeeded : counts_.calls_failed); return;
    case audit_kind::sampling_call:
      ++(event.success ? counts_.questions_answered : counts_.questions_failed);
      counts_.model_tokens += event.tokens;
      return;
    case audit_kind::refusal: ++counts_.refusals; return;
    case audit_kind::connection:
      ++(event.state == "refused" ? counts_.connections_refused : counts_.connections_allowed);
      return;
    default: return;
  }
}

void audit_log_state::take(msg::audit_event& event) {
  count(event);
  if (!options_.write)
    return;
  auto bytes = bytes_of(event);
  bool is_of_run = event.kind == audit_kind::run || event.kind == audit_kind::run_begun;
  auto events_max = options_.events_max + (is_of_run ? limits::audit_run_places : 0);
  if (queue_.size() >= events_max || queue_bytes_ + bytes > options_.bytes_max) {
    ++lost_;
    ++lost_untold_;
    return;
  }
  try {
    queue_.push_back(std::move(event));
  } catch (const std::bad_alloc&) {
    ++lost_;
    ++lost_untold_;
    return;
  }
  queue_bytes_ += bytes;
  if (queue_.size() >= limits::audit_batch_max || queue_bytes_ >= limits::audit_batch_bytes_max)
    write();
  else
    write_later();
}

void audit_log_state::write_later() {
  if (!std::exchange(will_write_, true))
    self_->delayed_send(self_, want_finish_.empty() ? limits::audit_delay : limits::audit_retry_delay,
                        msg::tick_atom::value);
}

/// Without memory for as many, fewer; null: for none at all.
audit_batch audit_log_state::next_batch() {
  std::shared_ptr<std::vector<msg::audit_event>> batch;
  try {
    batch = std::make_shared<std::vector<msg::audit_event>>();
    batch_lost_ = lost_untold_;
    if (batch_lost_ > 0)
      batch->push_back(lost_event(batch_lost_, last_error_.empty() ? "too much happened at once" : last_error_));
    while (!queue_.empty() && batch->size() < limits::audit_batch_max) {
      batch->push_back(std::move(queue_.front())); // which is as it was, if there is no memory for it
      queue_bytes_ -= bytes_of(batch->back());
      queue_.pop_front();
    }
  } catch (const std::bad_alloc&) {
    spdlog::debug("there is no memory left for more of the audit log at once");
  }
  return batch && !batch->empty() ? batch : nullptr;
}

void audit_log_state::write() {
  if (is_writing_ || !options_.write)
    return;
  if (!batch_ && (!queue_.empty() || (lost_untold_ > 0 && !want_finish_.empty())))
    batch_ = next_batch();
  if (!batch_)
    return queue_.empty() ? answer_finished() : write_later(); // there was no memory for one
  is_writing_ = true;
  auto me = caf::actor_cast<msg::audit_log_actor>(self_);
  auto written = [me, events = uint64_t{batch_->size()}](const audit::write_report& report) {
    bool is_written = report.result == audit::write_result::written;
    caf::anon_send(me, msg::reply_atom::value, is_written ? events : uint64_t{0}, report.problem);
  };
  try {
    options_.write(batch_, written);
  } catch (const std::bad_alloc&) {
    is_writing_ = false;
    write_later();
  }
}

/// None of them, and no problem: another process was writing.
void audit_log_state::written(uint64_t events, const std::string& problem) {
  is_writing_ = false;
  if (!batch_)
    return;
  if (events == 0 && problem.empty()) {
    hear_of_lock();
    return write_later();
  }
  locked_since_.reset();
  if (events > 0) {
    if (!last_error_.empty())
      spdlog::info("the audit log is written again; {} of its events are missing", lost_);
    written_ += events;
    lost_untold_ -= batch_lost_;
    last_error_.clear();
  } else {
    if (last_error_.empty())
      spdlog::error("the audit log can not be written: {}", problem);
    auto lost = batch_->size() - (batch_lost_ > 0 ? 1 : 0);
    lost_ += lost;
    lost_untold_ += lost;
    last_error_ = problem;
  }
  batch_ = nullptr;
  if (!want_finish_.empty() && !problem.empty() && queue_.empty())
    return answer_finished(); // the line that tells of the lost ones can not be written either
  if (queue_.size() >= limits::audit_batch_max || !want_finish_.empty())
    write();
  else if (!queue_.empty())
    write_later();
}

/// Other servers hold it for some milliseconds.
void audit_log_state::hear_of_lock() {
  auto now = self_->clock().now();
  locked_since_ = locked_since_.value_or(now);
  if (now - *locked_since_ < limits::audit_locked_most || !last_error_.empty())
    return;
  last_error_ = "another process has locked it for more than " + std::to_string(limits::audit_locked_most.count())
                + " s: its lines wait";
  spdlog::error("the audit log can not be written: {}", last_error_);
}

void audit_log_state::answer_finished() {
  for (auto& promise : std::exchange(want_finish_, {}))
    promise.deliver(last_error_.empty());
}

msg::audit_status audit_log_state::status() const {
  msg::audit_status s;
  s.enabled = static_cast<bool>(options_.write);
  s.folder = options_.place;
  s.written = written_;
  s.lost = lost_;
  s.waiting = static_cast<uint32_t>(queue_.size() + (batch_ ? batch_->size() : 0));
  s.last_error = last_error_;
  s.counts = counts_;
  return s;
}

msg::audit_log_actor::behavior_type audit_log_state::make_behavior(audit_log_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    if (auto waiting = status().waiting; waiting > 0)
      spdlog::error("{} events are missing from the audit log: the server ends, and they could not be written{}",
                    waiting, locked_since_ ? " because another process has locked it" : "");
    for (auto& promise : std::exchange(want_finish_, {}))
      promise.deliver(false);
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::audit_atom, msg::audit_event& event) { take(event); },
    [this](msg::status_atom) { return status(); },
    [this](msg::finish_atom) -> caf::result<bool> {
      if (!options_.write)
        return true;
      auto promise = reply_promise<bool>{self_};
      want_finish_.push_back(promise);
      will_write_ = false; // what is tried again now is tried soon
      write();
      return promise;
    },
    [this](msg::reply_atom, uint64_t events, const std::string& problem) { written(events, problem); },
    [this](msg::tick_atom) {
      will_write_ = false;
      write();
    },
  };
}

msg::audit_log_actor::behavior_type audit_log(msg::audit_log_actor::stateful_pointer<audit_log_state> self,
                                              audit_log_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
