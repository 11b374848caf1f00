// Calls of one server: checked before they are sent, answered once.
#include "actors/child_server.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/limits.hpp"
#include "proxy/unwrap.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::server_state;

/// Larger ones are data rather than words.
constexpr size_t errors_masked_max = 64u << 10;

/// A call that was not sent says nothing about the server.
void child_server_state::give_back(open_call& call, fault why) {
  breaker_->withdraw();
  refuse(call, std::move(why));
}

void child_server_state::refuse(open_call& call, fault why) { call.promise.deliver(msg::outcome<msg::tool_result>{std::move(why)}); }

caf::result<msg::outcome<msg::tool_result>> child_server_state::take_call(msg::tool_call& call) {
  if (waiting_.size() + checking_.size() + queued_.size() + in_flight_.size() >= limits::child_calls_max)
    return msg::outcome<msg::tool_result>{
      fault_of(errc::overloaded, "has " + std::to_string(limits::child_calls_max) + " calls in flight, which is the limit")};
  bool is_early = waits_for_restart(call);
  if (auto why = is_early ? may_be_called() : ensure_started(); why.code != errc::none)
    return msg::outcome<msg::tool_result>{std::move(why)};
  auto caller = self_->current_sender();
  auto promise = self_->make_response_promise<msg::outcome<msg::tool_result>>();
  open_call open{std::move(call), promise, std::move(caller), reviewed_};
  if (state_ == server_state::ready && !relist_wanted_ && !is_reviewing())
    check(std::move(open));
  else
    waiting_.push_back(std::move(open));
  if (state_ == server_state::ready && relist_wanted_) // what the server announced counts for this call
    list_again();
  return promise;
}

/// Null: the server does not list such a tool, or what it lists now is not known. It is for the server to say so.
std::shared_ptr<const proxy::contract> child_server_state::contract_of(const std::string& tool) {
  if (tools_are_stale_)
    return nullptr;
  if (auto known = contracts_.find(tool); known != contracts_.end())
    return known->second;
  auto listed = std::find_if(tools_.begin(), tools_.end(), [&](auto& t) { return t.name == tool; });
  return listed == tools_.end() ? nullptr : contracts_.emplace(tool, std::make_shared<proxy::contract>(*listed)).first->second;
}

/// What was compiled lately is compiled again when it is needed: a list of tools may have any number of large schemas.
void child_server_state::bound_contracts() {
  size_t bytes = 0;
  for (auto& [tool, contract] : contracts_)
    bytes += contract->memory_bytes();
  if (bytes > limits::child_contracts_bytes_max)
    forget_contracts();
}

/// Their end takes as long as their making.
void child_server_state::forget_contracts() {
  if (auto old = std::exchange(contracts_, {}); !old.empty())
    destroy_there(options_.offload, std::move(old));
}

/// What the tool does not take never reaches the server.
void child_server_state::check(open_call open) {
  if (auto why = held_back(open); why.code != errc::none)
    return give_back(open, std::move(why));
  auto contract = open.call.method == msg::child_method::call_tool ? contract_of(open.call.tool) : nullptr;
  if (!contract)
    return send_in_turn(std::move(open));
  if (contract->takes_at_once(open.call.arguments))
    return send_in_turn(std::move(open));
  if (!options_.offload) {
    proxy::taken_arguments taken;
    auto problem = contract->check_arguments(open.call.arguments, taken);
    take_checked(open, taken);
    return problem.code == errc::none ? send_in_turn(std::move(open)) : give_back(open, std::move(problem));
  }
  auto key = open.call.key;
  auto problem = std::make_shared<fault>();
  open.is_wanted = std::make_shared<std::atomic<bool>>(true);
  open.taken = std::make_shared<proxy::taken_arguments>();
  auto work = [contract, problem, arguments = open.call.arguments, is_wanted = open.is_wanted, taken = open.taken] {
    if (*is_wanted)
      *problem = contract->check_arguments(arguments, *taken);
  };
  auto me = caf::actor_cast<msg::child_server_actor>(self_);
  checking_.emplace(key, std::move(open));
  options_.offload(std::move(work), [me, key, problem](msg::fault failed) {
    caf::anon_send(me, msg::checked_atom::value, key, failed.code == errc::none ? std::move(*problem) : std::move(failed));
  });
}

/// What the tool takes may be written in another way than the program did.
void child_server_state::take_checked(open_call& call, proxy::taken_arguments& taken) {
  if (!taken.value)
    return;
  call.call.arguments = std::move(*taken.value);
  call.note = std::move(taken.note);
}

void child_server_state::checked(msg::call_key key, fault problem) {
  auto found = checking_.extract(key);
  bound_contracts();
  if (!found) // cancelled
    return;
  auto& open = found.mapped();
  take_checked(open, *std::exchange(open.taken, nullptr));
  if (problem.code != errc::none)
    give_back(open, std::move(problem));
  else if (state_ == server_state::ready)
    send_in_turn(std::move(open));
  else if (state_ == server_state::starting || resting_)
    waiting_.push_back(std::move(open));
  else
    refuse(open, fault_of(errc::server_died, "ended before the call was sent").at(entry_.name, open.call.tool));
}

void child_server_state::send_in_turn(open_call open) {
  if (has_slot() && queued_.size() == 0 && !is_reviewing())
    return send(std::move(open));
  auto key = open.call.key;
  queued_.push(key.run, key.call, std::move(open));
}

/// Something has ended.
void child_server_state::send_waiting() {
  while (queued_.size() > 0 && has_slot() && state_ == server_state::ready && !is_reviewing())
    send(*queued_.pop());
  used();
}

void child_server_state::send(open_call open) {
  if (auto why = held_back(open); why.code != errc::none)
    return give_back(open, std::move(why));
  auto key = open.call.key;
  auto& sent = in_flight_.emplace(key, std::move(open)).first->second; // first: whatever happens now, its caller is not forgotten
  if (!protocol_->call(sent.call)) {
    auto back = in_flight_.extract(key);
    return give_back(back.mapped(), fault_of(errc::overloaded, "does not read its requests; its queue is full"));
  }
  sent.call.arguments = {}; // not needed any more
  watch_time_of(sent);
}

void child_server_state::answer(msg::call_key key, msg::outcome<msg::document> answer) {
  auto found = in_flight_.extract(key);
  if (!found)
    return;
  auto& call = found.mapped();
  if (in_flight_.empty())
    stray_.clear();
  if (answer.ok() || answer.error.code == errc::tool_failed) {
    breaker_->succeeded();
    record_state();
  }
  send_waiting();
  if (!answer.ok()) {
    answer.error.tool = call.call.tool;
    return refuse(call, std::move(answer.error));
  }
  auto result = std::make_shared<msg::tool_result>(msg::tool_result{std::move(answer.value), std::move(call.note)});
  bool is_promised = call.call.method == msg::child_method::call_tool && !relist_wanted_; // else it may promise something else now
  auto contract = is_promised ? contract_of(call.call.tool) : nullptr;
  auto deliver = [promise = call.promise, result](msg::fault failed) mutable {
    promise.deliver(failed.code == errc::none ? msg::outcome<msg::tool_result>{std::move(*result)}
                                              : msg::outcome<msg::tool_result>{std::move(failed)});
  };
  if (!contract || contract->keeps_at_once(result->envelope))
    return deliver({});
  auto compare = [contract, result] {
    auto difference = contract->check_result(result->envelope);
    result->warning += (result->warning.empty() || difference.empty() ? "" : "; ") + difference;
  };
  if (options_.offload)
    return options_.offload(std::move(compare), std::move(deliver));
  compare();
  deliver({});
}

std::string child_server_state::masked(std::string text) const {
  return connection_ && !text.empty() ? connection_->masked(std::move(text)) : std::move(text);
}

/// Errors like what is on stderr: "401: key sk-... is not valid". What it answers otherwise is data, and stays as it is.
msg::outcome<msg::document> child_server_state::masked(msg::outcome<msg::document> answer) const {
  answer.error.message = masked(std::move(answer.error.message));
  if (!answer.ok() || !proxy::is_error(answer.value) || answer.value.text_bytes() > errors_masked_max)
    return answer;
  auto shown = answer.value.value();
  if (mcp::mask_texts(shown, [this](std::string text) { return masked(std::move(text)); }))
    answer.value = msg::document{std::move(shown)};
  return answer;
}

caf::result<msg::outcome<msg::tool_list>> child_server_state::give_tools() {
  if (auto why = ensure_started(); why.code != errc::none)
    return msg::outcome<msg::tool_list>{std::move(why)};
  if (state_ == server_state::ready)
    return msg::outcome<msg::tool_list>{tools_};
  auto promise = self_->make_response_promise<msg::outcome<msg::tool_list>>();
  want_tools_.push_back(promise);
  return promise;
}

void child_server_state::fail_waiting(const fault& why) {
  for (auto& call : std::exchange(waiting_, {}))
    refuse(call, fault{why}.at(entry_.name, call.call.tool));
  for (auto& [key, call] : std::exchange(checking_, {}))
    refuse(call, fault{why}.at(entry_.name, call.call.tool));
  for (auto& call : queued_.take_all())
    refuse(call, fault{why}.at(entry_.name, call.call.tool));
  for (auto& promise : std::exchange(want_tools_, {}))
    promise.deliver(msg::outcome<msg::tool_list>{why});
}

} // namespace actors
