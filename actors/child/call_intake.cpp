#include "actors/child/call_intake.hpp"

#include "actors/child/server_fault.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace child {

using msg::errc;
using msg::fault;

namespace {

/// What the tool takes may be written in another way than the program did.
void take_as(open_call& call, proxy::taken_arguments& taken) {
  if (!taken.value)
    return;
  call.call.arguments = std::move(*taken.value);
  call.note = std::move(taken.note);
}

} // namespace

call_intake::call_intake(std::string server, process::background_work offload, intake_rules rules,
                         std::function<tell_checked()> teller, calls_in_flight& next)
  : server_(std::move(server)),
    offload_(std::move(offload)),
    rules_(rules),
    teller_(std::move(teller)),
    next_(next) {}

/// A call that was not sent says nothing about the server.
void call_intake::give_back(const open_call& call, fault why) {
  rules_.restarts.call_withdrawn();
  call.refuse(std::move(why));
}

void call_intake::pass_on(open_call call, fault problem) {
  if (problem.code == errc::none)
    next_.send_in_turn(std::move(call));
  else
    give_back(call, std::move(problem));
}

fault call_intake::refusal() const {
  if (open_calls() < msg::limits::child_calls_max)
    return {};
  return server_fault(server_, errc::overloaded,
                      "has " + std::to_string(msg::limits::child_calls_max) + " calls in flight, which is the limit");
}

void call_intake::take(open_call call) {
  call.list = rules_.review.last_reviewed();
  call.change = rules_.review.last_change();
  if (rules_.life.is(stage::ready) && rules_.review.is_settled())
    check(std::move(call));
  else
    waiting_.push_back(std::move(call));
}

void call_intake::release(tool_review::time_point now) {
  if (rules_.review.is_awaited())
    return;
  for (auto& call : std::exchange(waiting_, {})) {
    if (rules_.review.is_read(call.change))
      check(std::move(call));
    else if (call.waits_until <= now)
      next_.send_in_turn(std::move(call)); // what was listed before may not hold any more
    else
      waiting_.push_back(std::move(call));
  }
}

void call_intake::check(open_call call) {
  if (auto why = rules_.review.held_back(call.call, call.list); why.code != errc::none)
    return give_back(call, std::move(why));
  auto contract = call.call.method == msg::child_method::call_tool ? rules_.tools.contract_of(call.call.tool) : nullptr;
  if (!contract || contract->takes_at_once(call.call.arguments)) {
    auto before = lines_.find(line_of(call));
    if (before == lines_.end())
      return next_.send_in_turn(std::move(call));
    auto key = before->second.emplace_back(call.key());
    checking_.emplace(key, open_check{std::move(call), std::make_shared<std::atomic<bool>>(true),
                                      std::make_shared<proxy::taken_arguments>(), true});
    return;
  }
  if (offload_)
    return check_elsewhere(std::move(call), std::move(contract));
  proxy::taken_arguments taken;
  auto problem = contract->check_arguments(call.call.arguments, taken);
  take_as(call, taken);
  pass_on(std::move(call), std::move(problem));
}

void call_intake::check_elsewhere(open_call call, std::shared_ptr<const proxy::contract> contract) {
  auto key = call.key();
  auto problem = std::make_shared<fault>();
  auto is_wanted = std::make_shared<std::atomic<bool>>(true);
  auto taken = std::make_shared<proxy::taken_arguments>();
  auto work = [contract, problem, arguments = call.call.arguments, is_wanted, taken] {
    if (*is_wanted)
      *problem = contract->check_arguments(arguments, *taken);
  };
  lines_[line_of(call)].push_back(key);
  checking_.emplace(key, open_check{std::move(call), is_wanted, taken});
  offload_(std::move(work), [key, problem, tell = teller_()](fault failed) {
    tell(key, failed.code == errc::none ? std::move(*problem) : std::move(failed));
  });
}

void call_intake::checked(msg::call_key key, fault problem) {
  auto found = checking_.find(key);
  rules_.tools.bound_contracts();
  if (found == checking_.end()) // cancelled
    return;
  found->second.is_done = true;
  found->second.problem = std::move(problem);
  auto line = line_of(found->second.call);
  pass_on_checked(line);
}

/// From its beginning, as far as all is checked.
void call_intake::pass_on_checked(const line_name& name) {
  for (auto line = lines_.find(name); line != lines_.end(); line = lines_.find(name)) {
    if (line->second.empty()) {
      lines_.erase(line);
      return;
    }
    auto first = checking_.find(line->second.front());
    if (first != checking_.end() && !first->second.is_done)
      return;
    line->second.pop_front();
    if (first != checking_.end())
      settle(std::move(checking_.extract(first).mapped()));
  }
}

void call_intake::settle(open_check checked) {
  auto& [call, is_wanted, taken, is_done, problem] = checked;
  take_as(call, *taken);
  if (problem.code != errc::none || rules_.life.is(stage::ready))
    pass_on(std::move(call), std::move(problem));
  else if (rules_.life.is(stage::starting) || rules_.life.is(stage::resting))
    waiting_.push_back(std::move(call));
  else
    call.refuse_at(server_, server_fault(server_, errc::server_died, "ended before the call was sent"));
}

// ---- no caller waits any more ----------------------------------------------------------------

void call_intake::cancel(msg::call_key key) {
  fault why{errc::cancelled, "the call was cancelled before server '" + server_ + "' got it"};
  if (!cancel_here(key, why))
    next_.cancel(key, why);
}

bool call_intake::cancel_here(msg::call_key key, const fault& why) {
  if (auto with_worker = checking_.extract(key)) {
    *with_worker.mapped().is_wanted = false;
    give_back(with_worker.mapped().call, why);
    pass_on_checked(line_of(with_worker.mapped().call));
    return true;
  }
  auto waits = std::find_if(waiting_.begin(), waiting_.end(), [&](auto& call) { return call.key() == key; });
  if (waits == waiting_.end())
    return false;
  give_back(*waits, why);
  waiting_.erase(waits);
  return true;
}

void call_intake::run_over(uint64_t run) {
  fault why{errc::cancelled, msg::run_ended_unsent};
  auto dropped =
    std::stable_partition(waiting_.begin(), waiting_.end(), [run](auto& call) { return call.key().run != run; });
  std::for_each(dropped, waiting_.end(), [&](auto& call) { give_back(call, why); });
  waiting_.erase(dropped, waiting_.end());
  for (auto at = checking_.lower_bound({run, 0}); at != checking_.end() && at->first.run == run;
       at = checking_.erase(at)) {
    *at->second.is_wanted = false;
    give_back(at->second.call, why);
  }
  lines_.erase(lines_.lower_bound({run, {}}), lines_.lower_bound({run + 1, {}}));
  next_.run_over(run, why);
}

void call_intake::fail_all(const fault& why) {
  for (auto& call : std::exchange(waiting_, {}))
    call.refuse_at(server_, why);
  for (auto& [key, open] : std::exchange(checking_, {}))
    open.call.refuse_at(server_, why);
  lines_.clear();
  next_.fail_queued(why);
}

} // namespace child
