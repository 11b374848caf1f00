#include "tests/simulation/invariants.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace simulation {

using namespace std::chrono_literals;

namespace {

void wait_for_answers(house& at, client& c) {
  for (int i = 0; i < 100 && c.unanswered() > 0; ++i) {
    at.settle();
    while (at.in.happen())
      at.settle();
    at.pass(100ms);
  }
}

/// A run that waits for a person, or a model of the client, gives its place away and has it again when that has
/// answered.
void check_places(house& at) {
  size_t busy = 0;
  for (auto& g : at.all_guests.all)
    busy += g->has_program();
  auto most = at.limits.runs_max * (at.limits.clients_can_be_asked ? 2 : 1);
  at.in.expect(busy <= most, "more programs run at once than may");
}

void check_calls(house& at) {
  for (auto& [mark, run] : at.in.runs) {
    at.in.expect(run.sent <= at.limits.tool_calls_max, "a program has made more calls than it may");
    at.in.expect(run.begins <= 2, "a program is begun again and again");
    at.in.expect(run.questions <= at.limits.sampling_rounds, "a program has asked models more often than it may");
  }
  if (!at.was_reloaded && !at.in.was_disturbed)
    at.in.expect(!at.all_servers.has_twins(), "two processes of one server run at once");
  if (!at.was_reloaded) // those of runs that began before are left to them
    at.in.expect(at.all_servers.wanted() <= at.limits.servers_max, "more servers run at once than may");
}

/// A bucket was full at first, and has been filled since; that of a limiter that has died is full once more.
void check_rates(house& at) {
  auto& rate = at.limits.rate;
  if (rate.requests == 0 || at.in.was_disturbed)
    return;
  auto most = rate.requests + 1 + static_cast<uint64_t>(at.age().count()) * rate.requests / rate.window_ms;
  for (auto& [server, calls] : at.all_servers.calls)
    at.in.expect(calls <= most, "the server " + server + " is called more often than rateLimit.perServer permits");
  std::map<std::string, uint64_t> begun;
  for (auto& [mark, run] : at.in.runs)
    begun[run.owner] += run.begins > 0;
  for (auto& [owner, runs] : begun)
    at.in.expect(runs <= most, "a client has more runs than rateLimit permits");
}

/// A session whose run has died is free.
void check_sessions_work(house& at) {
  at.in.now_doing = "the last runs of sessions";
  std::map<std::tuple<std::string, std::string, bool>, known_run> used;
  for (auto& [mark, run] : at.in.runs)
    if (!run.session.empty())
      used.emplace(std::tuple{run.owner, run.session, run.is_python}, run);
  for (auto& [which, run] : used) {
    auto of_owner = [&](auto& c) { return !c->is_gone() && c->owner == run.owner; };
    auto c = std::find_if(at.all_clients.begin(), at.all_clients.end(), of_owner);
    if (c == at.all_clients.end())
      continue;
    if (at.limits.rate.requests > 0)
      at.pass(11s);
    auto mark = (*c)->run_plainly(run);
    wait_for_answers(at, **c);
    at.in.expect((*c)->answer_of(mark).find("in which another run goes on") == std::string::npos,
                 "a session is kept by a run that is over: " + (*c)->answer_of(mark));
  }
}

/// Once it has been let rest; kills are over, and so are pauses before a service is started anew.
void check_it_works(house& at) {
  at.in.now_doing = "the last run";
  auto& c = *at.all_clients.front();
  auto mark = c.run_plainly();
  wait_for_answers(at, c);
  at.in.expect(c.answer_of(mark).find("good\\\":1") != std::string::npos,
               "the server does not work any more: " + c.answer_of(mark));
}

void check_nothing_runs(house& at) {
  auto admission = at.living<msg::admission_actor>("queue of runs");
  auto places = at.ask<msg::admission_status>(admission, msg::status_atom::value);
  if (!places->empty())
    at.in.expect(places->front().running == 0 && places->front().queued == 0, "runs are left that nobody waits for");
  auto connector = at.living<msg::connector_actor>("connector of servers");
  auto servers = at.ask<msg::server_list>(connector, msg::servers_atom::value);
  at.settle_all();
  if (!servers->empty())
    for (auto& s : servers->front())
      at.in.expect(s.calls_in_flight == 0, "a call is left that nobody waits for, of the server " + s.name);
  auto keeper = at.living<msg::sessions_actor>("keeper of sessions");
  auto sessions = at.ask<msg::session_list>(keeper, msg::status_atom::value);
  if (!sessions->empty())
    for (auto& s : sessions->front())
      at.in.expect(!s.busy && s.queued == 0, "a session is kept by a run that is over");
  for (auto& g : at.all_guests.all)
    at.in.expect(!g->has_program(), "a guest still has the program of a run that is over");
  for (auto& s : at.all_servers.all)
    at.in.expect(!s->runs() || s->open_calls() == 0, "a server is not told that nobody waits for a call any more");
}

/// Of what each run has, a guest say, an actor looks after.
void check_actors(house& at) {
  auto guests = at.all_guests.all.size(), servers = at.all_servers.all.size();
  size_t connections = 0;
  for (auto& c : at.all_clients)
    connections += c->connection() > 1 && !c->is_gone();
  constexpr size_t servers_configured = 5;
  auto most = 1 + at.all_living().size() + connections + guests + std::max(servers, servers_configured);
  auto now = at.running_actors();
  at.in.expect(now <= most, std::to_string(now) + " actors live where there should be " + std::to_string(most));
  auto waiting = at.all_guests.alive();
  auto pools = 2 * at.limits.pool_size_max, sessions = at.limits.sessions_max + 1;
  at.in.expect(waiting <= pools + sessions, "more guests wait than there should be");
}

/// Each run that has begun has ended, and the totals of the record are those of its lines.
void check_record(house& at) {
  auto log = at.living<msg::audit_log_actor>("audit log");
  msg::audit_status s;
  for (int i = 0; i < 20; ++i) {
    auto status = at.ask<msg::audit_status>(log, msg::status_atom::value);
    if (status->empty())
      return;
    s = status->front();
    if (s.waiting == 0)
      break;
    at.pass(200ms);
    while (at.in.happen())
      at.settle();
  }
  at.in.expect(s.waiting == 0, "events wait for the record for ever");
  if (s.lost > 0 || at.was_record_killed)
    return;
  at.record.check_ends();
  using enum msg::audit_kind;
  auto runs = s.counts.runs_succeeded + s.counts.runs_failed + s.counts.runs_timed_out + s.counts.runs_cancelled;
  auto told = [&](const char* what, uint64_t counted, uint64_t written) {
    at.in.expect(counted == written, std::string{"the record counts "} + what + " " + std::to_string(counted)
                                       + " times and has " + std::to_string(written));
  };
  told("runs", runs, at.record.count(run));
  told("calls", s.counts.calls_succeeded + s.counts.calls_failed, at.record.count(tool_call));
}

} // namespace

void check_now(house& at) {
  for (auto& g : at.all_guests.all)
    g->check_calls_of_dead();
  check_places(at);
  check_calls(at);
  check_rates(at);
}

void check_at_rest(house& at) {
  for (auto& c : at.all_clients)
    c->check_answers();
  at.in.expect(!at.has_failed, "the process has given up");
  at.pass(30s); // services come back, and there are tokens again
  check_nothing_runs(at);
  check_actors(at);
  check_it_works(at);
  if (at.in.was_run_killed)
    check_sessions_work(at);
  check_record(at);
}

void check_after_stop(house& at) {
  at.in.now_doing = "at the stop";
  at.in.expect(at.stop(), "the server does not end");
  while (at.in.happen())
    at.settle();
  at.pass(5s);
  at.in.expect(at.all_guests.alive() == 0, "a guest outlives the server");
  at.in.expect(at.all_servers.running() == 0, "a process of a server outlives the server");
  auto left = at.running_actors();
  at.in.expect(left == 0, std::to_string(left) + " actors outlive the server");
  at.pass(1h); // CAF keeps a timer until it is due
  at.in.expect(at.timers() == 0, "timers outlive the server");
  if (at.record.lines() > 0)
    at.record.check();
}

} // namespace simulation
