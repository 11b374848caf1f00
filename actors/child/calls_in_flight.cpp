#include "actors/child/calls_in_flight.hpp"

#include "actors/child/page_reading.hpp"
#include "actors/child/result_check.hpp"
#include "actors/child/server_fault.hpp"
#include "proxy/time_out.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace child {

using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

constexpr auto run_has_ended = "the run that made the call has ended";

/// Its run has a plan of faults of its own: how its calls end says nothing to others about the server.
bool has_own_faults(const open_call& call) { return !call.call.faults.value().is_null(); }

void tell_success(restart_policy& restarts, const open_call& call) {
  if (has_own_faults(call))
    restarts.call_withdrawn();
  else
    restarts.call_succeeded();
}

} // namespace

calls_in_flight::calls_in_flight(const msg::server_entry& entry, uint32_t at_once_max, process::background_work offload,
                                 flight_rules rules, flight_requests requests)
  : server_(entry.name),
    source_(entry.source),
    call_time_max_(entry.call_timeout_ms),
    offload_(std::move(offload)),
    rules_(rules),
    requests_(std::move(requests)),
    slots_(at_once_max) {}

void calls_in_flight::process_started() {
  late_timer_set_ = slot_timer_set_ = false;
  slots_.clear();
}

// ---- in turn ---------------------------------------------------------------------------------

bool calls_in_flight::has_slot(const msg::tool_call& call) const {
  return !rules_.review.is_awaited() && slots_.is_free(call.key.run, call.asker.client);
}

void calls_in_flight::send_in_turn(open_call call) {
  auto key = call.key();
  if (queued_.size() == 0 && has_slot(call.call))
    return send(std::move(call));
  queued_.push(key.run, key.call, std::move(call));
  send_waiting(); // those that wait may be of runs that have their share
}

void calls_in_flight::send_waiting() {
  auto may = [this](uint64_t run) { return has_slot(queued_.front_of(run).call); };
  while (rules_.life.is(stage::ready)) {
    auto next = queued_.pop_of(may);
    if (!next)
      break;
    send(std::move(*next));
  }
  rules_.idle.used(requests_.now());
}

void calls_in_flight::send(open_call call) {
  auto why = rules_.review.held_back(call.call, call.list);
  auto key = call.key();
  if (why.code == errc::none) {
    // first: whatever happens now, its caller is not forgotten.
    auto& sent = sent_.emplace(key, sent_call{std::move(call)}).first->second;
    slots_.take(key.run, sent.call.call.asker.client);
    if (requests_.send(sent.call.call)) {
      sent.call.call.arguments = {}; // not needed any more
      if (call_time_max_ > milliseconds{0})
        set_late_timer(sent.deadline = requests_.now() + call_time_max_);
      return;
    }
    call = ended(sent_.extract(key));
    why = server_fault(server_, errc::overloaded, "does not read its requests; its queue is full");
  }
  rules_.restarts.call_withdrawn();
  call.refuse(std::move(why));
}

// ---- what the server says --------------------------------------------------------------------

open_call calls_in_flight::ended(std::map<msg::call_key, sent_call>::node_type sent) {
  auto& call = sent.mapped().call;
  slots_.free(call.key().run, call.call.asker.client);
  return std::move(call);
}

/// The last one that is open takes what was printed instead of an answer with it.
std::optional<open_call> calls_in_flight::take_sent(msg::call_key key) {
  auto found = sent_.extract(key);
  if (!found)
    return std::nullopt;
  if (sent_.empty())
    rules_.lines.nobody_waits();
  return ended(std::move(found));
}

bool calls_in_flight::answered(msg::call_key key, msg::outcome<msg::document> answer) {
  auto call = take_sent(key);
  if (!call)
    return false;
  bool is_alive = answer.ok() || answer.error.code == errc::tool_failed;
  if (is_alive)
    tell_success(rules_.restarts, *call);
  send_waiting();
  if (!answer.ok()) {
    answer.error.tool = call->call.tool;
    call->refuse(std::move(answer.error));
    return is_alive;
  }
  bool is_promised = call->call.method == msg::child_method::call_tool
                     && !rules_.review.is_change_announced(); // else it may promise something else
  answer_as_promised(is_promised ? rules_.tools.contract_of(call->call.tool) : nullptr,
                     {std::move(answer.value), std::move(call->note)}, offload_, std::move(call->answer));
  return is_alive;
}

bool calls_in_flight::listed(msg::call_key key, mcp::item_pages pages) {
  auto call = take_sent(key);
  if (!call)
    return drop_items(std::move(pages), offload_), false;
  tell_success(rules_.restarts, *call);
  send_waiting();
  answer_with_items(std::move(pages), offload_, std::move(call->answer));
  return true;
}

const open_call* calls_in_flight::sent(msg::call_key key) const {
  auto found = sent_.find(key);
  return found == sent_.end() ? nullptr : &found->second.call;
}

void calls_in_flight::asked(msg::server_question question, std::function<void(msg::outcome<msg::document>)> then) {
  auto key = question.call;
  auto found = sent_.find(key);
  if (found == sent_.end() || !found->second.call.asked)
    return then(fault{errc::not_allowed, "nobody waits for that call any more"});
  auto& sent = found->second;
  if (sent.questions++ == 0)
    sent.asked_at = requests_.now();
  if (question.is_sure)
    question.tool = sent.call.call.tool;
  auto ask = sent.call.asked; // the answer may end the call
  ask(std::move(question), [this, key, then = std::move(then)](msg::outcome<msg::document> said) {
    go_on_after_question(key);
    then(std::move(said));
  });
}

void calls_in_flight::go_on_after_question(msg::call_key key) {
  auto found = sent_.find(key);
  if (found == sent_.end() || --found->second.questions > 0)
    return;
  auto& sent = found->second;
  if (sent.deadline != time_point::max())
    set_late_timer(sent.deadline += requests_.now() - sent.asked_at);
}

void calls_in_flight::withdrawn(msg::call_key key, uint64_t question) {
  if (auto found = sent_.find(key); found != sent_.end() && found->second.call.withdrawn)
    found->second.call.withdrawn(question);
}

void calls_in_flight::done_with(msg::call_key key) {
  if (slots_.give_back(key))
    send_waiting();
}

// ---- no caller waits any more ----------------------------------------------------------------

void calls_in_flight::cancel(msg::call_key key, const fault& unsent) {
  if (auto queued = queued_.remove(key.run, key.call)) {
    rules_.restarts.call_withdrawn();
    queued->refuse(unsent);
  } else if (sent_.contains(key)) {
    rules_.restarts.call_withdrawn();
    give_up(key, run_has_ended, server_fault(server_, errc::cancelled, "was told that the call is cancelled"), unsent);
    send_waiting();
  }
}

void calls_in_flight::run_over(uint64_t run, const fault& unsent) {
  auto queued = queued_.size_of(run) > 0 ? queued_.take_all() : std::vector<open_call>{};
  for (auto& call : queued) {
    auto key = call.key();
    if (key.run == run) {
      rules_.restarts.call_withdrawn();
      call.refuse(unsent);
    } else {
      queued_.push(key.run, key.call, std::move(call));
    }
  }
  for (auto at = sent_.lower_bound({run, 0}); at != sent_.end() && at->first.run == run;
       at = sent_.lower_bound({run, 0})) {
    rules_.restarts.call_withdrawn();
    give_up(at->first, run_has_ended, {errc::cancelled, msg::run_ended_unanswered}, unsent);
  }
  send_waiting();
}

/// Its caller hears why, and the server, if it has got it, that the caller does not wait.
void calls_in_flight::give_up(msg::call_key key, std::string_view reason, fault why, fault unsent) {
  bool was_sent = requests_.cancel(key, reason); // first: whatever happens, its caller is not forgotten
  if (was_sent) {
    slots_.keep(key, requests_.now());
    if (!std::exchange(slot_timer_set_, true))
      requests_.set_timer(timer::kept_slots, given_up_slot_max);
  }
  take_sent(key)->refuse_at(server_, std::move(was_sent ? why : unsent));
}

void calls_in_flight::free_slots() {
  auto now = requests_.now();
  slots_.give_back_old(now);
  requests_.forget_given_up([this](msg::call_key key) { return slots_.is_kept(key); });
  auto next = slots_.next_end();
  slot_timer_set_ = next.has_value();
  if (next)
    requests_.set_timer(timer::kept_slots, std::chrono::ceil<milliseconds>(*next - now));
  send_waiting();
}

// ---- the time of one call --------------------------------------------------------------------

/// One timer for all of them.
void calls_in_flight::set_late_timer(time_point deadline) {
  if (!std::exchange(late_timer_set_, true))
    requests_.set_timer(timer::late_calls, std::chrono::ceil<milliseconds>(deadline - requests_.now()));
}

bool calls_in_flight::end_late() {
  auto now = requests_.now();
  std::vector<msg::call_key> late;
  for (auto& [key, sent] : sent_)
    if (sent.questions == 0 && sent.deadline <= now)
      late.push_back(key);
  for (auto& key : late)
    end_late_call(key);
  late_timer_set_ = true; // what is sent now is not to set a timer of its own
  if (!late.empty())
    send_waiting();
  late_timer_set_ = false;
  auto next = time_point::max();
  for (auto& [key, sent] : sent_)
    if (sent.questions == 0) // the others set it when they go on
      next = std::min(next, sent.deadline);
  if (next != time_point::max())
    set_late_timer(next);
  return !late.empty();
}

void calls_in_flight::end_late_call(msg::call_key key) {
  auto what = "did not answer within " + std::to_string(call_time_max_.count()) + " ms (timeoutMs of its entry in "
              + source_ + ")";
  auto why = server_fault(server_, errc::call_timeout,
                          what + proxy::unread_text(requests_.unread_ms()) + rules_.lines.last_text());
  if (has_own_faults(sent_.at(key).call))
    rules_.restarts.call_withdrawn();
  else
    rules_.restarts.call_failed(why.message, requests_.now());
  give_up(key, "it took too long", why, why);
}

// ---- the end ---------------------------------------------------------------------------------

void calls_in_flight::fail_queued(const fault& why) {
  for (auto& call : queued_.take_all())
    call.refuse_at(server_, why);
}

void calls_in_flight::fail_sent(const fault& why) {
  for (auto all = std::exchange(sent_, {}); !all.empty();)
    ended(all.extract(all.begin())).refuse_at(server_, why);
}

} // namespace child
