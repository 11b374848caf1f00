// Calls of one server that nobody waits for any more.
#include "actors/child_server.hpp"
#include "proxy/time_out.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// A call that was sent and is cancelled keeps its place for so long, if the server does not answer it: many go on with what they have begun, and
/// would get ever more to do at once. The protocol wants no answer to what is cancelled, and who follows it says nothing: others get the place when
/// this is over, well within the time that a run has, and half of all places before that (has_slot()).
constexpr std::chrono::seconds given_up_place_max{5};

/// Any server reads a little later than it is written to.
constexpr std::chrono::milliseconds unread_told_min{500};

constexpr auto run_has_ended = "the run that made the call has ended";

} // namespace

void child_server_state::cancel(msg::call_key key) {
  fault why{errc::cancelled, "the call was cancelled before server '" + entry_.name + "' got it"};
  auto waits = std::find_if(waiting_.begin(), waiting_.end(), [&](auto& w) { return w.call.key == key; });
  if (waits != waiting_.end()) {
    give_back(*waits, why);
    waiting_.erase(waits);
  } else if (auto queued = queued_.remove(key.run, key.call)) {
    give_back(*queued, why);
  } else if (auto with_worker = checking_.extract(key)) {
    *with_worker.mapped().is_wanted = false;
    give_back(with_worker.mapped(), why);
  } else if (in_flight_.contains(key)) {
    breaker_->withdraw();
    give_up(key, run_has_ended, fault_of(errc::cancelled, "was told that the call is cancelled"), std::move(why));
    send_waiting();
  }
}

/// Nothing of a run is sent after its end: what waits is dropped first, then the server hears of what it has got, and only then others have their
/// turn.
void child_server_state::run_over(uint64_t run) {
  fault unsent{errc::cancelled, msg::run_ended_unsent};
  auto of_others = [run](auto& call) { return call.call.key.run != run; };
  auto dropped = std::stable_partition(waiting_.begin(), waiting_.end(), of_others);
  std::for_each(dropped, waiting_.end(), [&](auto& call) { give_back(call, unsent); });
  waiting_.erase(dropped, waiting_.end());
  if (queued_.size_of(run) > 0)
    for (auto& call : queued_.take_all()) {
      auto key = call.call.key;
      if (key.run == run)
        give_back(call, unsent);
      else
        queued_.push(key.run, key.call, std::move(call));
    }
  for (auto at = checking_.lower_bound({run, 0}); at != checking_.end() && at->first.run == run; at = checking_.erase(at)) {
    *at->second.is_wanted = false;
    give_back(at->second, unsent);
  }
  for (auto at = in_flight_.lower_bound({run, 0}); at != in_flight_.end() && at->first.run == run; at = in_flight_.lower_bound({run, 0})) {
    breaker_->withdraw();
    give_up(at->first, run_has_ended, {errc::cancelled, msg::run_ended_unanswered}, unsent);
  }
  send_waiting();
}

/// Of a call that is in flight: its caller hears why, and the server, if it has got it, that nobody waits.
void child_server_state::give_up(msg::call_key key, std::string_view reason, fault why, fault unsent) {
  bool was_sent = protocol_->cancel(key, reason); // first: whatever happens, its caller is not forgotten
  if (was_sent)
    keep_place(key);
  auto call = in_flight_.extract(key);
  if (in_flight_.empty())
    stray_.clear();
  refuse(call.mapped(), std::move(was_sent ? why : unsent).at(entry_.name, call.mapped().call.tool));
}

/// Why a call may have had no answer. 0: its server reads what it is sent, as far as any reads at once.
uint32_t child_server_state::unread_ms() const {
  auto unread = connection_ ? connection_->unread_for() : std::chrono::milliseconds{0};
  return unread < unread_told_min ? 0 : static_cast<uint32_t>(unread.count());
}

void child_server_state::keep_place(msg::call_key key) {
  given_up_.insert_or_assign(key, self_->clock().now() + given_up_place_max);
  if (!std::exchange(place_timer_set_, true))
    set_timer(place_timer, given_up_place_max);
}

/// The server has answered after all.
void child_server_state::place_free(msg::call_key key) {
  if (given_up_.erase(key) > 0)
    send_waiting();
}

/// Of those that have had theirs for long enough.
void child_server_state::free_places() {
  auto now = self_->clock().now();
  std::erase_if(given_up_, [now](auto& call) { return call.second <= now; });
  protocol_->forget_cancelled([this](msg::call_key key) { return given_up_.contains(key); });
  auto sooner = [](auto& a, auto& b) { return a.second < b.second; };
  auto next = std::min_element(given_up_.begin(), given_up_.end(), sooner);
  place_timer_set_ = next != given_up_.end();
  if (place_timer_set_)
    set_timer(place_timer, std::chrono::ceil<std::chrono::milliseconds>(next->second - now));
  send_waiting();
}

/// Whether the server may have one more call. Most servers are done with what is cancelled, and none says so: half of the places, and the last one,
/// are for those that somebody waits for.
bool child_server_state::has_slot() const {
  size_t most = options_.limits.calls_at_once;
  return in_flight_.size() + std::min(given_up_.size(), most / 2) < most;
}

} // namespace actors
