// How a client's session ends: what waits is answered.
#include "actors/client/being_stopped.hpp"
#include "actors/client_session.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace actors {

namespace {

/// From the word that all ends to the answers of what still waits: the store of outputs writes 8 MiB meanwhile. The
/// supervisor gives 100 ms for all.
constexpr std::chrono::milliseconds last_answers_wait{25};

} // namespace

/// Also of a request that has come further: the last word counts.
void client_session_state::answer_at_stop(number n, std::function<void()> answer) {
  waiting_.insert_or_assign(n, std::move(answer));
}

void client_session_state::fail_at_stop(number n) {
  answer_at_stop(n, [this, n] { fail(n, client::being_stopped()); });
}

/// Those who work for the requests that wait are being stopped as well, and most of them answer at once.
caf::result<bool> client_session_state::stop() {
  protocol_->end_subscriptions();
  if (waiting_.empty())
    return true;
  auto promise = reply_promise<bool>{self_};
  want_stop_.push_back(promise);
  self_->delayed_send(self_, last_answers_wait, msg::tick_atom::value, of_no_request);
  return promise;
}

void client_session_state::answer_all() {
  while (!waiting_.empty()) {
    auto answer = waiting_.begin()->second; // which takes it away
    answer();
  }
}

} // namespace actors
