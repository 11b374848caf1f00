// Everything real but processes and disks, and each actor that the supervisor starts anew dies while programs run: what
// its death costs whom (docs/architecture.md, "When an actor dies").
#include "actors/supervisor.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_catalog.hpp"
#include "tests/actors/fake_guests.hpp"
#include "tests/actors/fake_server.hpp"

#include <functional>

using namespace std::literals;
using namespace testing_support;
using msg::language;

namespace {

constexpr auto call_echo =
  R"({"type":"request","id":1,"method":"call","params":{"server":"kid","tool":"echo","args":{}}})";

} // namespace

class supervision : public deterministic {
public:
  fake_guests guests;
  fake_servers servers;
  std::map<std::string, caf::strong_actor_ptr> living; ///< by name, as the supervisor has started it last
  std::map<std::string, int> starts;
  std::map<int64_t, std::vector<json::object>> answers; ///< of the client's requests, by id
  std::map<const void*, size_t> heard;                  ///< frames that guests have looked at
  bool answers_calls = true;                            ///< the server
  bool has_failed = false;
  msg::supervisor_actor supervisor;
  msg::client_session_actor session;
  int64_t last_id = 0;

  supervision() {
    actors::supervisor_options o;
    o.connector.servers = {entry("kid")};
    o.connector.connect = servers.factory();
    o.connector.rates.per_server = {1'000, 1'000};
    o.catalog = catalog_at_once(o.connector.servers);
    o.admission.runs_max = 3;
    o.admission.queued_max = 10;
    o.admission.queue_wait_max = 30s;
    o.admission.rate = {1'000, 1'000};
    actors::sandbox_pool_options pool;
    pool.start = guests.factory();
    pool.size = pool.size_max = 2;
    pool.idle_after = 1h;
    o.pools = {pool};
    o.sessions.sessions_max = 4;
    o.sessions.idle_max = 1h;
    o.sessions.queue_wait_max = 30s;
    o.memory.carry_out = [](const msg::memory_request&, const auto& done) { done(msg::outcome<msg::document>{}); };
    o.memory.requests_max = 10;
    o.outputs.carry_out = [](const msg::artifact_request&, const auto& done) {
      done(msg::outcome<msg::artifact_answer>{});
    };
    o.outputs.requests_max = 10;
    o.spawn_execution = [](caf::local_actor* parent, actors::execution_options of) {
      of.patterns = ::config::pattern_policy::off;
      return parent->spawn(actors::execution, std::move(of));
    };
    o.configuration.watch = [] {
      return actors::file_watching{[](const std::vector<std::string>&) { return [] { return true; }; },
                                   [](const std::function<void(bool)>&) {}, [] {}};
    };
    o.configuration.places = [] { return std::vector<std::string>{}; };
    o.configuration.offload = [](const std::function<void()>& work, const std::function<void(msg::fault)>& done) {
      work();
      done({});
    };
    o.session.send = [this](mcp::outgoing sent) {
      auto message = json::parse(sent.text.text()).as_object();
      if (message.contains("id"))
        answers[message.at("id").as_int64()].push_back(std::move(message));
    };
    o.session_started = [this](msg::client_session_actor s) { session = std::move(s); };
    o.started = [this](const std::string& name, const caf::strong_actor_ptr& actor) {
      living[name] = actor;
      ++starts[name];
    };
    o.failed = [this] { has_failed = true; };
    supervisor = sys.spawn(actors::supervisor, std::move(o));
    go_on();
    client_says(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    go_on();
  }
  ~supervision() override {
    if (supervisor) {
      auto stopped = send<bool>(supervisor, msg::stop_atom::value);
      go_on();
      for (int i = 0; i < 5; ++i)
        pass(msg::limits::shutdown_max);
      EXPECT_EQ(stopped.count(), 1u);
    }
    living.clear();
    supervisor = nullptr;
    session = nullptr;
    settle();
    EXPECT_EQ(guests.alive(), 0u) << "a guest outlives the server";
    for (auto& c : servers.connections)
      EXPECT_TRUE(c->gone) << "a process of a server outlives the server";
    guests.all.clear();
    servers.connections.clear();
  }

  void client_says(std::string_view text) {
    caf::anon_send(session, msg::received_atom::value, msg::document{json::parse(text)}, uint64_t{0});
  }

  /// A program that calls the tool once.
  int64_t run(const std::string& more = "") {
    auto id = ++last_id;
    client_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                + R"(,"method":"tools/call","params":{"name":"run-typescript-code","arguments":{"code":"1")" + more
                + "}}}");
    return id;
  }

  /// What servers and guests do of themselves; false: nothing more.
  bool others_act() {
    bool has_acted = false;
    for (size_t i = 0; i < servers.connections.size(); ++i) {
      auto& c = *servers.connections[i];
      if (c.stopped && !c.gone) {
        c.end({msg::errc::server_died, "ended with exit code 0"});
        has_acted = true;
      }
      auto before = c.sent.size();
      fake_servers::answer_handshake(c, {"echo"});
      if (answers_calls)
        for (auto& request : c.take("tools/call"))
          c.answer(request, text_result("hello"));
      has_acted |= c.sent.size() != before;
    }
    for (size_t i = 0; i < guests.all.size(); ++i)
      has_acted |= acts(*guests.all[i]);
    return has_acted;
  }
  bool acts(fake_guest& g) {
    auto& seen = heard[&g];
    if (!g.owner)
      return false;
    if (seen == 0 && g.told.empty()) {
      seen = 1; // counts one more than it has looked at
      g.say(R"({"type":"ready"})");
      return true;
    }
    seen = std::max<size_t>(seen, 1);
    bool has_acted = false;
    for (; seen <= g.told.size(); ++seen, has_acted = true) {
      auto& frame = g.told[seen - 1];
      if (frame.at("type").as_string() == "run")
        g.say(call_echo);
      else if (frame.at("type").as_string() == "reply")
        g.say(frame.contains("error") ? R"({"type":"done","result":"the call failed"})"
                                      : R"({"type":"done","result":"the call went well"})");
    }
    return has_acted;
  }
  void go_on() {
    do
      settle();
    while (others_act());
  }
  template <class Duration>
  void pass(Duration d) {
    advance(d);
    go_on();
  }
  void kill(const std::string& name) {
    caf::anon_send_exit(caf::actor_cast<caf::actor>(living.at(name)), caf::exit_reason::kill);
    settle();
  }
  /// The text that the model sees; empty: no answer, or several.
  std::string text_of(int64_t id) {
    auto& of = answers[id];
    EXPECT_LE(of.size(), 1u) << "answered more than once";
    return of.size() == 1
             ? json::serialize(of.front().contains("result") ? of.front().at("result") : of.front().at("error"))
             : "";
  }
  void expect_works() {
    answers_calls = true;
    auto id = run();
    go_on();
    EXPECT_NE(text_of(id).find("the call went well"), std::string::npos) << text_of(id);
  }
};

class each_service : public supervision, public ::testing::WithParamInterface<const char*> {};

TEST_P(each_service, that_dies_under_load_is_started_anew_and_every_request_is_answered_once) {
  answers_calls = false;
  std::vector<int64_t> asked;
  for (int i = 0; i < 6; ++i) { // three wait for the server, three for their turn
    asked.push_back(run(i == 1 ? R"(,"session":"s")" : ""));
    go_on();
  }
  kill(GetParam());
  asked.push_back(run());
  client_says(R"({"jsonrpc":"2.0","id":1000,"method":"tools/call","params":{"name":"health","arguments":{}}})");
  go_on();
  EXPECT_EQ(starts[GetParam()], 1) << "not started anew at once: it may die again at once";
  pass(msg::limits::service_backoff_first);
  EXPECT_EQ(starts[GetParam()], 2);
  answers_calls = true;
  go_on();
  pass(5s); // health waits for what was silent
  for (auto id : asked)
    EXPECT_EQ(answers[id].size(), 1u) << "request " << id;
  EXPECT_EQ(answers[1000].size(), 1u) << "the question for health";
  expect_works();
  EXPECT_FALSE(has_failed);
}

TEST_P(each_service, that_dies_again_and_again_is_started_later_each_time) {
  std::chrono::milliseconds pause = msg::limits::service_backoff_first;
  for (int death = 1; death <= 12; ++death) {
    kill(GetParam());
    pass(pause - 1ms);
    ASSERT_EQ(starts[GetParam()], death);
    pass(1ms);
    ASSERT_EQ(starts[GetParam()], death + 1);
    pause = std::min(pause * 2, std::chrono::milliseconds{msg::limits::service_backoff_max});
  }
  pass(msg::limits::service_well);
  kill(GetParam());
  pass(msg::limits::service_backoff_first);
  EXPECT_EQ(starts[GetParam()], 14) << "after it has served well it is started at once again";
  expect_works();
}

INSTANTIATE_TEST_SUITE_P(of_the_process, each_service,
                         ::testing::Values("audit log", "catalog of tools", "rate limiter", "connector of servers",
                                           "store of memory", "store of outputs", "pool of guests for TypeScript",
                                           "keeper of sessions", "queue of runs", "reporter of health",
                                           "reader of the configuration"),
                         [](auto& of) {
                           std::string name = of.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(supervision, the_connector_costs_the_calls_that_are_open_and_nothing_else) {
  answers_calls = false;
  auto id = run();
  go_on();
  ASSERT_EQ(answers[id].size(), 0u);
  kill("connector of servers");
  go_on(); // no time passes
  EXPECT_NE(text_of(id).find("the call failed"), std::string::npos)
    << "the program goes on with an error: " << text_of(id);
  EXPECT_TRUE(servers.connections.front()->gone) << "its servers end";
  pass(msg::limits::service_backoff_first);
  expect_works();
  EXPECT_EQ(servers.connections.size(), 2u) << "started again when it was needed";
}

TEST_F(supervision, a_new_connector_has_the_servers_of_the_last_configuration) {
  auto changes =
    ask<msg::server_changes>(supervisor, msg::reload_atom::value, msg::server_entries{entry("kid"), entry("other")});
  EXPECT_EQ(changes.added, std::vector<std::string>{"other"});
  kill("connector of servers");
  pass(msg::limits::service_backoff_first);
  client_says(R"({"jsonrpc":"2.0","id":1001,"method":"tools/call","params":{"name":"list_servers","arguments":{}}})");
  go_on();
  EXPECT_NE(text_of(1001).find("other"), std::string::npos) << text_of(1001);
}

TEST_F(supervision, the_queue_of_runs_costs_the_runs_and_they_are_told_at_once) {
  answers_calls = false;
  std::vector<int64_t> asked;
  for (int i = 0; i < 5; ++i)
    asked.push_back(run());
  go_on();
  auto before = guests.alive();
  kill("queue of runs");
  go_on();
  for (auto id : asked)
    EXPECT_NE(text_of(id).find("isError\":true"), std::string::npos) << id << text_of(id);
  EXPECT_LT(guests.alive(), before) << "the guests of those runs end";
}

TEST_F(supervision, the_keeper_of_sessions_costs_the_sessions) {
  auto first = run(R"(,"session":"s")");
  go_on();
  EXPECT_NE(text_of(first).find("the call went well"), std::string::npos);
  auto before = guests.alive();
  kill("keeper of sessions");
  go_on();
  EXPECT_EQ(guests.alive(), before - 1) << "the guest of the session ends";
  pass(msg::limits::service_backoff_first);
  auto second = run(R"(,"session":"s")");
  go_on();
  EXPECT_NE(text_of(second).find("the call went well"), std::string::npos) << text_of(second);
}

TEST_F(supervision, nothing_can_take_up_the_session_with_the_client_so_the_process_ends) {
  kill("session with the client");
  EXPECT_TRUE(has_failed);
}

TEST_F(supervision, all_others_end_with_the_supervisor) {
  caf::anon_send_exit(supervisor, caf::exit_reason::kill);
  supervisor = nullptr;
  go_on();
  EXPECT_TRUE(has_failed);
}

/// Deaths at any moment, of any of them, in any order of messages.
class supervision_storm : public supervision, public ::testing::WithParamInterface<int> {};

TEST_P(supervision_storm, every_request_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  std::vector<std::string> names;
  for (auto& [name, actor] : living)
    if (name != "session with the client")
      names.push_back(name);
  std::vector<int64_t> asked;
  for (int round = 0; round < 25; ++round) {
    asked.push_back(run(rng() % 3 == 0 ? R"(,"session":"s")" : ""));
    for (auto n = rng() % 40; n > 0 && sched.has_job(); --n)
      sched.run_once();
    answers_calls = rng() % 4 != 0;
    if (rng() % 3 == 0)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(living.at(names[rng() % names.size()])), caf::exit_reason::kill);
    if (rng() % 3 == 0 && !guests.all.empty())
      guests.all[rng() % guests.all.size()]->end(3);
    settle_shuffled();
    others_act();
    if (rng() % 2 == 0)
      pass(std::chrono::milliseconds{rng() % 200});
  }
  answers_calls = true;
  for (int i = 0; i < 20; ++i)
    pass(5s);
  for (auto id : asked)
    EXPECT_EQ(answers[id].size(), 1u) << "request " << id;
  expect_works();
}
INSTANTIATE_TEST_SUITE_P(seeds, supervision_storm, ::testing::Range(0, 60));
