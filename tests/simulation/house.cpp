#include "tests/simulation/house.hpp"

#include "actors/slices.hpp"
#include "proxy/discovery.hpp"
#include "tests/simulation/models.hpp"
#include "tests/simulation/rights.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace simulation {

using namespace std::chrono_literals;

namespace {

/// Without coming to rest.
constexpr size_t messages_max = 200'000;

/// The catalog stops when its time on the real clock is over, and is asked to go on: that would be chance from outside.
msg::catalog_answer whole_answer(proxy::discovery& tools, msg::catalog_request request) {
  auto answer = tools.answer(request);
  while (answer.goes_on) {
    request.so_far = answer.so_far;
    answer = tools.answer(request);
  }
  return answer;
}

} // namespace

small_limits::small_limits(uint64_t seed) {
  chance luck{seed ^ 0x11111111};
  runs_max = 1 + luck.below(3);
  client_runs_max = luck.below(2) * (1 + luck.below(runs_max));
  queued_max = luck.below(7);
  queue_wait_max = std::chrono::milliseconds{500 + luck.below(5'000)};
  pool_size = luck.below(3);
  pool_size_max = pool_size + luck.below(2);
  sessions_max = 1 + luck.below(2);
  servers_max = static_cast<uint32_t>(2 + luck.below(3));
  calls_at_once_max = static_cast<uint32_t>(1 + luck.below(3));
  tool_calls_max = static_cast<uint32_t>(2 + luck.below(10));
  sampling_rounds = static_cast<uint32_t>(1 + luck.below(2));
  sampling_tokens = static_cast<uint32_t>(50 + luck.below(200));
  record_events_max = luck.one_in(3) ? 1 + luck.below(30) : 10'000;
  requests_max = 1 + luck.below(5);
  rate = {};
  if (luck.one_in(3))
    rate = {static_cast<uint32_t>(3 + luck.below(5)), 10'000};
  question_wait = std::chrono::milliseconds{300 + luck.below(3'000)};
  clients_can_be_asked = luck.one_in(2);
}

house::house(uint64_t of_seed, const std::string& folder)
  : seed(of_seed),
    in(seed),
    limits(seed),
    all_servers(in, seed, limits.calls_at_once_max, limits.servers_max),
    record(in, folder, [this] { return wall_now(); }) {
  spdlog::set_level(spdlog::level::off); // what the actors complain of is expected here
  actors::slice::are_endless = true;
  scheduler().clock().current_time += 1h;
  begin_ = scheduler().clock().now();
  in.has_faults = all_servers.injected.are_on();
  all_clients.push_back(std::make_shared<client>(in, 1)); // on stdin
  all_clients.front()->can_be_asked = limits.clients_can_be_asked;
  supervisor_ = system_.spawn(actors::supervisor, options());
  settle();
  all_clients.front()->introduce_itself();
  while (all_clients.size() < clients_at_start)
    come();
  settle();
}

house::~house() {
  in.late.clear();
  living_.clear();
  all_clients.clear();
  supervisor_ = nullptr;
  clients_ = nullptr;
  scheduler().clock().cancel_all();
  all_guests.all.clear();
  all_servers.all.clear();
  while (in.happen())
    settle();
  all_servers.injected.end();
  settle();
  system_.await_actors_before_shutdown(false);
}

caf::scheduler::test_coordinator& house::scheduler() {
  return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
}

// ---- time --------------------------------------------------------------------------------------

void house::settle() {
  auto now = scheduler().clock().now();
  all_servers.injected.set_time(now);
  in.pass_to(now);
  auto& jobs = scheduler().jobs;
  size_t count = 0;
  for (; !jobs.empty() && count < messages_max; ++count) {
    auto at = jobs.begin() + static_cast<std::ptrdiff_t>(in.luck.below(jobs.size()));
    std::rotate(jobs.begin(), at, at + 1);
    scheduler().run_once();
  }
  in.expect(count < messages_max, "the actors never come to rest");
  if (all_servers.injected.go_on() && count < messages_max)
    settle();
}

void house::settle_all() {
  settle();
  while (in.happen_promptly())
    settle();
}

/// Timer by timer, so that nothing is later than it should be.
void house::pass(std::chrono::milliseconds time) {
  auto& clock = scheduler().clock();
  auto end = clock.now() + time;
  settle_all();
  while (!clock.schedule().empty() && clock.schedule().begin()->first <= end) {
    auto due = clock.schedule().begin()->first;
    scheduler().advance_time(std::max(due - clock.now(), caf::timespan{0}));
    settle_all();
  }
  scheduler().advance_time(end - clock.now());
  settle_all();
}

void house::jump(std::chrono::milliseconds time) {
  settle_all();
  scheduler().advance_time(time);
  settle_all();
}

std::chrono::system_clock::time_point house::wall_now() {
  auto since = scheduler().clock().now().time_since_epoch();
  return wall_begin_ + std::chrono::duration_cast<std::chrono::system_clock::duration>(since) + in.wall_offset;
}

std::chrono::milliseconds house::age() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(scheduler().clock().now() - begin_);
}

// ---- what can be done to it ----------------------------------------------------------------------

void house::reload(chance luck) {
  was_reloaded = true;
  ask<msg::server_changes>(supervisor_, msg::reload_atom::value, some_entries(luck));
}

void house::kill(const std::string& name) {
  auto found = living_.find(name);
  if (found == living_.end() || !found->second)
    return;
  in.tell("kills the " + name);
  was_record_killed |= name == "audit log";
  ++kills_[name];
  caf::anon_send_exit(caf::actor_cast<caf::actor>(found->second), caf::exit_reason::kill);
}

void house::kill_execution() {
  std::erase_if(executions_, [](auto& address) { return !caf::actor_cast<caf::strong_actor_ptr>(address); });
  if (executions_.empty())
    return;
  in.tell("kills a run");
  in.was_run_killed = true;
  auto found = caf::actor_cast<caf::strong_actor_ptr>(executions_[in.luck.below(executions_.size())]);
  if (found)
    caf::anon_send_exit(caf::actor_cast<caf::actor>(found), caf::exit_reason::kill);
}

void house::come() {
  if (all_clients.size() >= clients_max)
    return;
  auto number = static_cast<uint32_t>(all_clients.size() + 1);
  all_clients.push_back(std::make_shared<client>(in, number));
  all_clients.back()->can_be_asked = limits.clients_can_be_asked;
  connect(*all_clients.back());
  all_clients.back()->introduce_itself();
}

/// There are two owners.
void house::connect(client& c) {
  msg::client_opening opening;
  opening.connection = c.connection();
  opening.client = 2 + c.connection() % 2;
  opening.owner = c.owner = "owner " + std::to_string(opening.client);
  opening.comes_back = opening.client == 2;
  if (auto answer = ask<msg::client_connection_actor>(clients_, msg::attach_atom::value, opening); !answer->empty())
    c.session = answer->front();
  else // the keeper of clients is being started anew
    c.vanish();
}

void house::disconnect(client& c) {
  c.vanish();
  caf::anon_send(clients_, msg::closed_atom::value, c.connection());
}

bool house::stop() {
  auto stopped = ask<bool>(supervisor_, msg::stop_atom::value);
  for (int i = 0; i < 20 && stopped->empty(); ++i)
    pass(200ms);
  supervisor_ = nullptr;
  clients_ = nullptr;
  living_.clear();
  for (auto& c : all_clients)
    c->session = nullptr;
  settle_all();
  return !stopped->empty();
}

// ---- what it is made of --------------------------------------------------------------------------

/// Another thread: done when chance says.
actors::background_work house::elsewhere() {
  return [this](std::function<void()> work, std::function<void(msg::fault)> done) {
    in.later(
      0,
      [work = std::move(work), done = std::move(done)] {
        work();
        done({});
      },
      haste::prompt);
  };
}

std::shared_ptr<const sampling::rules> house::models() {
  auto rules = std::make_shared<sampling::rules>();
  rules->limits = {limits.sampling_rounds, limits.sampling_tokens};
  rules->answer_tokens = 20;
  rules->client_timeout = limits.question_wait;
  rules->provider = route_to_provider(system_, in, all_servers.injected);
  return rules;
}

void house::set_stores(actors::supervisor_options& o) {
  o.connector.servers = some_entries(in.luck);
  o.connector.connect = all_servers.factory();
  o.connector.offload = elsewhere();
  o.connector.log_in = all_servers.people.factory();
  o.connector.running_max = limits.servers_max;
  o.connector.rates.per_server = limits.rate;
  o.connector.limits.calls_at_once = limits.calls_at_once_max;
  o.connector.limits.start = 5s;
  o.connector.limits.idle = 20s;
  o.connector.policy.confirmed = {std::string{"mcp__"} + confirmed_server + "__write"};
  auto tools = std::make_shared<proxy::discovery>("", o.connector.servers, o.connector.policy);
  auto catalog_line = in.new_line();
  o.catalog.carry_out = [this, tools, catalog_line](msg::catalog_request request,
                                                    std::function<void(msg::catalog_answer)> done) {
    in.later(
      catalog_line,
      [tools, request = std::move(request), done = std::move(done)]() mutable {
        done(whole_answer(*tools, std::move(request)));
      },
      haste::prompt);
  };
  o.catalog.requests_max = 10 * limits.requests_max;
  o.catalog.save_delay = 2s;
  o.memory.carry_out = [this](const msg::memory_request&, std::function<void(msg::outcome<msg::document>)> done) {
    in.later(0, [done = std::move(done)] { done(msg::document{}); });
  };
  o.memory.requests_max = limits.requests_max;
  o.outputs.carry_out = [this](const msg::artifact_request&,
                               std::function<void(msg::outcome<msg::artifact_answer>)> done) {
    in.later(0, [done = std::move(done)] { done(msg::artifact_answer{}); });
  };
  o.outputs.requests_max = limits.requests_max;
  o.audit.write = record.writer();
  o.audit.place = "simulated";
  o.audit.events_max = limits.record_events_max;
  o.audit.bytes_max = 1u << 20;
}

void house::set_guests(actors::supervisor_options& o) {
  for (auto lang : {msg::language::typescript, msg::language::python}) {
    actors::sandbox_pool_options pool;
    pool.lang = lang;
    pool.start = all_guests.factory();
    pool.size = limits.pool_size;
    pool.size_max = limits.pool_size_max;
    pool.idle_after = 5s;
    o.pools.push_back(std::move(pool));
  }
  o.sessions.sessions_max = limits.sessions_max;
  o.sessions.in_all_max = limits.sessions_max + 1;
  o.sessions.idle_max = 10s;
  o.sessions.queue_wait_max = limits.queue_wait_max;
  o.admission.runs_max = limits.runs_max;
  o.admission.client_runs_max = limits.client_runs_max;
  o.admission.queued_max = limits.queued_max;
  o.admission.rate = limits.rate;
  o.admission.queue_wait_max = limits.queue_wait_max;
  o.spawn_execution = [this, rules = models()](caf::local_actor* parent, actors::execution_options of) {
    of.patterns = ::config::pattern_policy::off;
    of.offload = elsewhere();
    of.tool_calls_max = limits.tool_calls_max;
    of.question_wait = limits.question_wait;
    of.sampling = rules;
    auto made = parent->spawn(actors::execution, std::move(of));
    executions_.push_back(caf::actor_cast<caf::actor_addr>(made));
    return made;
  };
}

void house::set_clients(actors::supervisor_options& o) {
  o.session.numbers = std::make_shared<mcp::request_number>(0);
  o.session.shown = surface::shown_tools::all;
  o.session.send = [c = all_clients.front()](const mcp::outgoing& sent) { c->hear(sent); };
  o.session_started = [c = all_clients.front()](const msg::client_session_actor& session) {
    c->session = caf::actor_cast<msg::client_connection_actor>(session);
  };
  o.wire_client = [this](uint32_t connection) {
    actors::client_wire wire;
    wire.send = [c = all_clients.at(connection - 1)](const mcp::outgoing& sent) { c->hear(sent); };
    return wire;
  };
  o.clients.failed = [this](uint32_t connection) { all_clients.at(connection - 1)->vanish(); };
  o.clients_started = [this](msg::clients_actor clients) { clients_ = std::move(clients); };
}

void house::set_rest(actors::supervisor_options& o) {
  o.configuration.watch = [] {
    return actors::file_watching{[](const std::vector<std::string>&) { return [] { return true; }; },
                                 [](const std::function<void(bool)>&) {}, [] {}};
  };
  o.configuration.places = [] { return std::vector<std::string>{}; };
  o.configuration.offload = elsewhere();
  o.started = [this](const std::string& name, const caf::strong_actor_ptr& actor) {
    bool is_first = living_.insert_or_assign(name, actor).second;
    if (!is_first && kills_[name]-- == 0)
      in.broken("the " + name + " has died of itself");
  };
  o.failed = [this] { has_failed = true; };
}

actors::supervisor_options house::options() {
  actors::supervisor_options o;
  set_stores(o);
  set_guests(o);
  set_clients(o);
  set_rest(o);
  return o;
}

} // namespace simulation
