#include "actors/run/tool_calls.hpp"

#include "catalog/pinning/approvals.hpp"
#include "messages/invariant.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/unwrap.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace actors::run {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

/// Tools that are named of the calls that a program has given up, and bytes of each name.
constexpr size_t given_up_names_max = 5;
constexpr size_t given_up_name_bytes_max = 100;

std::string still_open(size_t calls) {
  return std::to_string(calls) + (calls == 1 ? " call was" : " calls were") + " still open when the program ended and "
         + (calls == 1 ? "was" : "were") + " given up; ";
}

/// At most given_up_names_max.
std::string joined(const std::set<std::string>& names) {
  std::string text;
  size_t count = 0;
  for (auto& name : names) {
    text += (count > 0 ? ", " : "") + (count < given_up_names_max ? name : "...");
    if (++count > given_up_names_max)
      break;
  }
  return text;
}

std::string name_of(const msg::tool_ref& ref) {
  if (ref.method != msg::child_method::call_tool)
    return proxy::full_name(ref.server, to_string(ref.method));
  return ref.full_name.empty() ? proxy::full_name(ref.server, ref.tool) : ref.full_name;
}

auto spelling_of(const msg::tool_ref& ref) { return std::tuple{ref.full_name, ref.server, ref.tool, ref.method}; }

/// Whether it says something of a call that was made; else a program may ask again until what it waits for is there.
bool is_of_a_call(errc code) {
  switch (code) {
    case errc::limit_exceeded: // it would quote itself
    case errc::unknown_server:
    case errc::unknown_tool:
    case errc::not_allowed:
    case errc::needs_approval:
    case errc::not_approved:
    case errc::needs_login:
    case errc::tool_changed: return false;
    default: return true;
  }
}

} // namespace

// ---- the servers of open calls ---------------------------------------------------------------

std::vector<msg::tool_ref> tools_of(const std::vector<waiting>& calls, uint64_t run) {
  std::vector<msg::tool_ref> tools;
  tools.reserve(std::min(calls.size(), starts_asked_max));
  for (size_t i = 0; i < std::min(calls.size(), starts_asked_max); ++i)
    tools.emplace_back(calls[i].tool).run = run;
  return tools;
}

void add_starts(std::vector<waiting>& calls, const std::vector<msg::server_start>& starts) {
  for (size_t i = 0; i < std::min(starts.size(), calls.size()); ++i) {
    auto& call = calls[i].call;
    call.server = starts[i].server;
    call.tool = starts[i].tool;
    call.starting_ms = starts[i].since_ms;
    call.printed = starts[i].printed;
    call.unread_ms = starts[i].unread_ms;
    call.unsent = starts[i].unsent;
  }
}

// ---- the way of a call -----------------------------------------------------------------------

void tool_calls::begin(proxy::guest_call call) {
  auto id = call.id;
  auto opening = opened(call);
  if (!requests_.admit(id))
    return fail(opening, {}, {errc::overloaded, "too many requests of the run were open"});
  requests_.hold(id, call.arguments.held_bytes());
  auto& open = open_.emplace(id, std::move(opening)).first->second;
  if (++begun_ > limits_.calls_max)
    return settle(id, fault{errc::limit_exceeded, "this run has made " + std::to_string(limits_.calls_max)
                                                    + " tool calls, which is the limit (runs.maxToolCalls)"});
  if (auto* last =
        failing_.refused(proxy::failing_calls::key_of(open.full_name, open.arguments_hash), limits_.same_failures_max))
    return settle(
      id,
      fault{
        errc::limit_exceeded,
        "this call has failed " + std::to_string(limits_.same_failures_max)
          + " times in this run with the same arguments, which is the limit (runs.maxSameFailures); it failed with: "
          + *last});
  tell_progress(open.full_name);
  if (routes_.record_open) {
    young_.push_back({id, open.begun});
    if (young_.size() == 1)
      routes_.look_again(limits::audit_open_after);
  }
  open.may_be_repeated = routes_.may_log_in && routes_.may_log_in();
  if (open.may_be_repeated || routes_.ask_consent)
    open.sent = call.arguments;
  send(id, std::move(call.arguments));
}

void tool_calls::send(uint64_t id, msg::document arguments) {
  auto& open = open_.at(id);
  msg::tool_request asked;
  asked.key.call = id;
  asked.tool = open.ref;
  asked.arguments = std::move(arguments);
  asked.wants_meaning = open.server.empty();
  asked.agreed = open.agreed;
  open.waits_for_person = false;
  routes_.call(std::move(asked),
               [this, id](msg::outcome<msg::tool_result> result) { returned(id, std::move(result)); });
}

open_call tool_calls::opened(const proxy::guest_call& call) const {
  open_call o;
  o.ref = call.tool;
  o.begun = routes_.now();
  o.arguments = routes_.keep(call.arguments);
  o.arguments_hash = proxy::failing_calls::hash_of(call.arguments);
  auto known = meanings_.find(spelling_of(o.ref));
  o.full_name = known == meanings_.end() ? name_of(o.ref) : known->second.full_name;
  if (known != meanings_.end())
    o.server = known->second.server;
  return o;
}

void tool_calls::means(open_call& call, const std::string& server, const std::string& tool) {
  if (server.empty() || tool.empty())
    return;
  auto full_name = proxy::full_name(server, tool);
  if (call.server == server && call.full_name == full_name)
    return;
  call.server = server;
  call.full_name = std::move(full_name);
  auto& ref = call.ref;
  if (meanings_.size() < meanings_max
      && ref.full_name.size() + ref.server.size() + ref.tool.size() + call.full_name.size() <= meaning_bytes_max)
    meanings_.insert_or_assign(spelling_of(ref), meaning{server, call.full_name});
}

void tool_calls::hear(uint64_t id, const msg::tool_info& meant) {
  if (auto call = open_.find(id); call != open_.end())
    means(call->second, meant.server, meant.name);
  if (!meant.changed.empty())
    notes_.add("Warning: tool " + proxy::full_name(meant.server, meant.name) + ": " + meant.changed + " (`"
               + tool_pinning::command_to_approve(meant.server) + "` approves it).");
}

/// It is made again when the person has agreed, to the very tool that they were told. Should it mean another one by
/// then, that is the end of it.
void tool_calls::want_consent(uint64_t id, fault where) {
  auto& call = open_.at(id);
  means(call, where.server, where.tool);
  call.waits_for_person = true;
  tell_progress(call.full_name + " waits for the user's approval");
  msg::consent to{std::move(where.server), std::move(where.tool)};
  routes_.ask_consent({id, to, call.sent}, [this, id, to](fault why) {
    auto open = open_.find(id);
    if (why.code != errc::none || is_over_ || open == open_.end())
      return settle(id, why.code == errc::none ? fault{errc::cancelled, msg::run_ended_unsent} : std::move(why));
    open->second.agreed = to;
    send(id, open->second.may_be_repeated ? open->second.sent : std::exchange(open->second.sent, {}));
  });
}

/// The child's answer, still in its envelope.
void tool_calls::returned(uint64_t id, msg::outcome<msg::tool_result> result) {
  if (auto call = open_.find(id); call != open_.end() && !is_over_ && result.error.code == errc::not_approved
                                  && routes_.ask_consent && call->second.agreed.tool.empty())
    return want_consent(id, std::move(result.error));
  if (!result.ok())
    return waits_for_login(id, result.error) ? void() : settle(id, std::move(result.error));
  if (!result.value.warning.empty())
    notes_.add("Warning: " + result.value.warning + ".");
  auto call = open_.find(id);
  if (call == open_.end())
    return;
  means(call->second, result.value.server, result.value.tool);
  auto method = call->second.ref.method;
  auto& envelope = result.value.envelope;
  if (auto lost = method == msg::child_method::call_tool ? proxy::lost_beside_structured(envelope) : ""; !lost.empty())
    notes_.add("Warning: tool " + call->second.full_name + " " + lost + ".");
  if (envelope.text_bytes() <= limits::json_inline_bytes_max)
    return settle(id, proxy::unwrap_answer(method, envelope));
  requests_.hold(id, envelope.held_bytes());
  routes_.elsewhere([method, envelope = std::move(envelope)] { return proxy::unwrap_answer(method, envelope); },
                    [this, id](msg::outcome<msg::document> unwrapped) { settle(id, std::move(unwrapped)); });
}

/// Its server has not carried it out: it has refused who asks.
bool tool_calls::waits_for_login(uint64_t id, const fault& why) {
  auto call = open_.find(id);
  if (why.code != errc::needs_login || is_over_ || call == open_.end() || why.server.empty())
    return false;
  if (!std::exchange(call->second.may_be_repeated, false))
    return false;
  call->second.waits_for_person = true;
  routes_.log_in(why.server, [this, id, why](const fault& failed) { logged_in(id, why, failed); });
  return true;
}

/// It is made once more, and not again.
void tool_calls::logged_in(uint64_t id, fault refused, const fault& why) {
  auto call = open_.find(id);
  if (call == open_.end() || is_over_)
    return;
  if (why.code == errc::none)
    return send(id, call->second.sent); // which the person may have to agree to still
  if (!why.message.empty())
    refused.message += " (the client was asked for a login: " + why.message + ")";
  settle(id, std::move(refused));
}

void tool_calls::settle(uint64_t id, msg::outcome<msg::document> answer) {
  if (is_over_)
    return end(id, answer.ok() ? fault{errc::cancelled, msg::run_ended_unanswered} : std::move(answer.error));
  auto ended = open_.extract(id);
  if (!ended)
    return;
  auto& call = ended.mapped();
  msg::ensure(++ended_ <= begun_, "no more calls end than were begun");
  msg::ensure(requests_.contains(id), "a call that ends is a request without an answer");
  means(call, answer.error.server, answer.error.tool);
  count(call, answer);
  if (!answer.ok() && !call.server.empty()) {
    answer.error.server = call.server;
    answer.error.tool = call.tool();
  }
  routes_.record(call, answer.error);
  tell_ended(id);
  tell_progress(call.full_name);
  requests_.answer(id, std::move(answer));
  msg::ensure_in_tests(
    [this] {
      return std::all_of(open_.begin(), open_.end(), [this](auto& call) { return requests_.contains(call.first); });
    },
    "all open calls are requests without an answer");
}

void tool_calls::count(const open_call& call, const msg::outcome<msg::document>& answer) {
  auto took = time_since(call.begun);
  auto key = proxy::failing_calls::key_of(call.full_name, call.arguments_hash);
  if (!answer.ok()) {
    tracker_.failed(call.full_name, took, answer.error.message);
    if (is_of_a_call(answer.error.code))
      failing_.failed(key, answer.error.message);
  } else {
    tracker_.succeeded(call.full_name, took);
    failing_.succeeded(key);
    if (call.ref.method == msg::child_method::call_tool && learning_.take(call.full_name, answer.value.held_bytes()))
      routes_.observe({"", call.server, call.tool(), call.ref.method, 0}, answer.value);
  }
  held_.set_statistics(tracker_.held_bytes());
}

void tool_calls::record_long_open() {
  size_t told = 0;
  for (; !young_.empty() && !is_over_; young_.pop_front()) {
    auto& young = young_.front();
    auto call = open_.find(young.id);
    if (call == open_.end() || call->second.begun != young.begun)
      continue; // it has ended
    auto age = std::chrono::duration_cast<std::chrono::milliseconds>(routes_.now() - young.begun);
    if (age < limits::audit_open_after || told++ == limits::audit_open_at_once)
      return routes_.look_again(std::max(limits::audit_open_after - age, limits::audit_open_pause));
    routes_.record_open(call->second);
  }
}

void tool_calls::give_up(uint64_t id, fault why) {
  auto open = open_.find(id);
  if (open == open_.end() || is_over_)
    return;
  routes_.cancel(id);
  settle(id, std::move(why));
}

// ---- the end ---------------------------------------------------------------------------------

/// Of a run that is over.
void tool_calls::end(uint64_t id, const fault& why) {
  auto ended = open_.extract(id);
  if (!ended)
    return;
  means(ended.mapped(), why.server, why.tool);
  tell_ended(id);
  fail(ended.mapped(), time_since(ended.mapped().begun), why);
}

/// Of which its program hears nothing, or has heard already.
void tool_calls::fail(const open_call& call, std::chrono::microseconds took, const fault& why) {
  routes_.record(call, why);
  tracker_.failed(call.full_name, took, why.message);
  held_.set_statistics(tracker_.held_bytes());
}

void tool_calls::end_all() {
  stop();
  while (!open_.empty())
    end(open_.begin()->first,
        {errc::cancelled, open_.begin()->second.waits_for_person ? msg::run_ended_unsent : msg::run_ended_unanswered});
}

// ---- what is told ----------------------------------------------------------------------------

std::chrono::microseconds tool_calls::time_since(time_point then) const {
  return std::chrono::duration_cast<std::chrono::microseconds>(routes_.now() - then);
}

std::vector<waiting> tool_calls::waiting_calls() const {
  std::vector<waiting> calls;
  calls.reserve(open_.size());
  for (auto& [id, call] : open_)
    calls.push_back(
      {id, call.ref, {call.full_name, "", static_cast<uint64_t>(time_since(call.begun).count() / 1'000), 0, {}, 0}});
  std::stable_sort(calls.begin(), calls.end(), [](auto& a, auto& b) { return a.call.waited_ms > b.call.waited_ms; });
  return calls;
}

void tool_calls::hear(const msg::tool_progress& progress) const {
  auto call = open_.find(progress.key.call);
  if (call != open_.end())
    tell_progress(call->second.full_name + ": " + text::number_text(progress.progress)
                  + (progress.total > 0 ? "/" + text::number_text(progress.total) : "")
                  + (progress.message.empty() ? "" : " " + progress.message));
}

void tool_calls::tell_ended(uint64_t id) const {
  if (routes_.ended)
    routes_.ended(id);
}

void tool_calls::tell_progress(std::string text) const { routes_.progress({0, begun_, ended_, std::move(text)}); }

std::string tool_calls::given_up_text() const {
  std::set<std::string> of_servers, of_people;
  size_t waiting = 0;
  for (auto& [id, call] : open_) {
    waiting += call.waits_for_person;
    if (auto& names = call.waits_for_person ? of_people : of_servers; names.size() <= given_up_names_max)
      names.insert(text::quoted(call.full_name, given_up_name_bytes_max));
  }
  std::string text;
  if (auto sent = open_.size() - waiting; sent > 0)
    text = still_open(sent)
           + (sent == 1 ? "its server may carry it out, if it has got it: "
                        : "their servers may carry out those that they have got: ")
           + joined(of_servers);
  if (waiting > 0)
    text += (text.empty() ? "" : ". ") + still_open(waiting) + "the user has not answered, and no server has got "
            + (waiting == 1 ? "it: " : "them: ") + joined(of_people);
  return text;
}

} // namespace actors::run
