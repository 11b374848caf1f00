// Of an execution: its end, and what is reported of it.
#include "actors/execution.hpp"

#include "messages/invariant.hpp"
#include "process/offload.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

namespace actors {

using msg::errc;
using msg::run_status;

namespace {

/// The sandbox answers at once; if its actor is dead the request bounces. Only so that the wait is finite, and long
/// enough for a machine that is so busy that 200 MB of output are still being read: what was printed would be lost.
constexpr std::chrono::seconds finish_timeout{8};
/// The sampling session answers at once. Only so that the wait is finite.
constexpr std::chrono::seconds sampling_answer_max{2};

/// What a run has asked of the outputs and was not begun is not done any more.
void leave(const msg::artifacts_actor& outputs, msg::execution_actor::pointer self, uint64_t run) {
  if (outputs)
    self->send(outputs, msg::cancel_atom::value, run);
}

} // namespace

/// The first cause counts. Calls are ended wherever they are. An answer that comes before the report says whether the
/// call had been sent.
void execution_state::finish(run::ending how) {
  if (std::exchange(ended_, true))
    return;
  ending_ = std::move(how);
  if (ending_.status != run_status::timeout && calls_->is_any_open()) // of which its error tells
    notes_.add(calls_->given_up_text());
  check_->stop();
  calls_->stop();
  questions_->stop();
  consents_->stop();
  person_->stop();
  asked_->end_all();
  logs_.end();
  leave(options_.outputs, self_, request_.id);
  self_->send(options_.connector, msg::finish_atom::value, request_.id);
  if (done_)
    requests_.answer_all({errc::cancelled, msg::run_ended_unanswered});
  if (!sandbox_)
    return end_sampling({});
  auto output = [this](msg::guest_output& o) {
    give_session_back(lives_on_ ? "" : ending_.error.message.empty() ? "its process ended" : ending_.error.message);
    end_sampling(std::move(o));
  };
  auto none = [this](caf::error&) {
    give_session_back("its process ended");
    end_sampling({});
  };
  if (lives_on_ && !request_.session.empty())
    self_->request(sandbox_, finish_timeout, msg::collect_atom::value).then(output, none);
  else
    self_->request(sandbox_, finish_timeout, msg::finish_atom::value).then(output, none);
}

/// If there is one: it gets its guest back, or hears why it has none any more. Empty: it has.
void execution_state::give_session_back(std::string lost_because) {
  if (request_.session.empty())
    return;
  if (!lost_because.empty()) {
    session_.state = msg::session_state::lost;
    session_.reason = lost_because;
  }
  self_->send(options_.guests.sessions, msg::release_atom::value, msg::session_of(request_), std::move(lost_because));
}

/// The run has ended; what was asked and used is part of its report.
void execution_state::end_sampling(msg::guest_output output) {
  goes_on_.reset();
  msg::sampling_report without{.enabled =
                                 options_.sampling && may_sample(*options_.sampling, request_).code == errc::none};
  if (without.enabled) {
    auto limits = sampling::limits_of(*options_.sampling, request_.sampling);
    without.rounds_left = limits.rounds;
    without.tokens_left = limits.tokens;
  }
  if (!routes_.sampling())
    return report(std::move(output), std::move(without));
  auto held = std::make_shared<msg::guest_output>(std::move(output));
  self_->request(routes_.sampling(), sampling_answer_max, msg::finish_atom::value)
    .then([this, held](msg::sampling_report& used) { report(std::move(*held), std::move(used)); },
          [this, held, without](caf::error&) { report(std::move(*held), without); });
}

void execution_state::report(msg::guest_output output, msg::sampling_report sampling) {
  tell_report(std::move(output), std::move(sampling));
  if (!guest_pending_) // else when it comes, to give it back
    self_->quit();
}

void execution_state::tell_report(msg::guest_output output, msg::sampling_report sampling) {
  msg::ensure(ended_ && promise_.pending(), "a run is reported once, and after its end");
  calls_->end_all();
  msg::run_report r;
  r.status = ending_.status;
  r.exit_code = ending_.exit_code;
  r.error = ending_.never_ready ? run::start_failure(request_.lang, output.diagnostics.head, ending_.error.message)
                                : std::move(ending_.error);
  r.has_result = has_result_;
  r.result = std::move(result_);
  r.output = std::move(output.output);
  r.diagnostics = std::move(output.diagnostics);
  if (auto missing = displays_.note(); !missing.empty())
    notes_.add(std::move(missing));
  r.displayed = std::move(displays_).take();
  r.session = std::move(session_);
  r.sampling = std::move(sampling);
  if (auto noted = std::move(notes_).append_to(r.diagnostics); options_.noted && !noted.empty())
    options_.noted(noted);
  r.duration_us = static_cast<uint64_t>(
    std::chrono::duration_cast<std::chrono::microseconds>(self_->clock().now() - time_.begun()).count());
  r.tools = calls_->take_statistics();
  r.may_have_faults = options_.has_faults || !request_.faults.value().is_null();
  std::move(faults_).tell(r);
  msg::ensure_in_tests(
    [&r] {
      return std::all_of(r.tools.begin(), r.tools.end(), [](auto& t) { return t.calls == t.successes + t.errors; });
    },
    "each call has succeeded or failed");
  routes_.record_end(r, {memory_bytes_, sandbox_ != nullptr});
  r.is_recorded = options_.audit != nullptr;
  order_.finish();
  promise_.deliver(std::move(r));
}

/// A mistake of ours, or no memory, is the end of this run only: its client hears of it. The sandbox dies with its
/// listener.
caf::error execution_state::failed(const std::exception_ptr& thrown) {
  auto why = process::fault_of(thrown);
  report_failure({run_status::error, run::reason(why.code, "the run was ended: " + why.message), 1});
  return caf::exit_reason::unhandled_exception;
}

/// In the middle of anything. Should there be no memory even for that, admission hears of our end and tells the client.
void execution_state::report_failure(run::ending why) noexcept {
  if (!promise_.pending())
    return;
  try {
    ended_ = true;
    ending_ = std::move(why);
    has_result_ = false;
    leave(options_.outputs, self_, request_.id);
    tell_report({}, {});
  } catch (const std::exception& e) {
    spdlog::error("the end of run {} could not be reported: {}", request_.id, e.what());
  }
}

/// Of one that has ended in order nothing is left to tell.
execution_state::~execution_state() {
  report_failure(run::failure(errc::internal,
                              "the run ended without a report, because what looked after it has failed, "
                              "or did not report in time; run it again"));
}

} // namespace actors
