// The order of the end: runs, then servers, then the client.
#include "actors/supervisor.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_catalog.hpp"
#include "tests/actors/fake_server.hpp"
#include "tests/actors/unexpected.hpp"

using namespace std::literals;
using namespace testing_support;

struct supervisor_test : deterministic {
  fake_servers servers;
  std::vector<std::string> log; ///< what ended, in order
  std::vector<json::object> answers;
  msg::supervisor_actor supervisor;
  msg::client_session_actor session;
  caf::typed_response_promise<msg::run_report> open_run;

  supervisor_test() {
    actors::supervisor_options o;
    o.connector.servers = {entry("kid")};
    o.catalog = catalog_at_once(o.connector.servers);
    o.connector.connect_at_start = {"kid"};
    o.connector.connect = servers.factory();
    o.admission.runs_max = 1;
    o.admission.queued_max = 1;
    o.admission.queue_wait_max = 1s;
    o.spawn_execution = [this](caf::local_actor* parent, actors::execution_options) {
      return parent->spawn([this](msg::execution_actor::pointer s) { return run_until_stopped(s); });
    };
    o.session.send = [this](mcp::outgoing m) { answers.push_back(json::parse(m.text.text()).as_object()); };
    o.session_started = [this](msg::client_session_actor s) { session = std::move(s); };
    supervisor = sys.spawn(actors::supervisor, std::move(o));
    settle();
    for (int i = 0; i < 3; ++i) {
      fake_servers::answer_handshake(servers.last(), {"echo"});
      settle();
    }
  }
  ~supervisor_test() override {
    supervisor = nullptr;
    session = nullptr;
    settle();
    servers.connections.clear();
  }
  msg::execution_actor::behavior_type run_until_stopped(msg::execution_actor::pointer s) {
    return {
      [this, s](msg::run_atom, const msg::run_request&, const msg::run_listener&) -> caf::result<msg::run_report> {
        open_run = s->make_response_promise<msg::run_report>();
        return open_run;
      },
      [](msg::cancel_atom) { unexpected("cancel"); },
      [this, s](msg::stop_atom) {
        log.push_back("run");
        open_run.deliver(msg::run_report{});
        s->quit();
      },
      [](msg::hold_atom, uint64_t) { unexpected("hold"); },
      [](msg::nearly_over_atom) { unexpected("nearly_over"); },
      [](msg::deadline_atom) { unexpected("deadline"); },
      [](msg::tick_atom) { unexpected("tick"); },
      [](msg::call_atom, const msg::tool_ref&, const msg::document&) {
        return unexpected("call", msg::outcome<msg::document>{});
      },
      [](msg::tools_atom, const std::vector<std::string>&) {
        return unexpected("tools", msg::outcome<msg::tool_list>{});
      },
      [](msg::reply_atom, uint64_t, const msg::outcome<msg::document>&) { unexpected("reply"); },
      [](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
      [](msg::exit_atom, const msg::guest_exit&) { unexpected("exit"); },
      [](msg::progress_atom, const msg::tool_progress&) { unexpected("progress"); },
      [](msg::injected_atom, const msg::injected_fault&) { unexpected("a fault"); },
      [](msg::log_atom, const msg::server_log&) { unexpected("log"); },
      [](msg::meant_atom, msg::call_key, const msg::tool_info&) { unexpected("meant"); },
      [](msg::question_atom, const msg::server_question&) {
        return unexpected("question", msg::outcome<msg::document>{});
      },
      [](msg::question_atom, msg::call_key, uint64_t) { unexpected("question"); },
    };
  }
  void client_says(std::string_view text) {
    caf::anon_send(session, msg::received_atom::value, msg::document{json::parse(text)}, uint64_t{0});
    settle();
  }
};

TEST_F(supervisor_test, ends_runs_then_servers_and_the_client_gets_its_answer) {
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  client_says(
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run-typescript-code","arguments":{"code":"1"}}})");
  ASSERT_EQ(answers.size(), 1u);
  auto stopped = send<bool>(supervisor, msg::stop_atom::value);
  settle();
  EXPECT_EQ(log, std::vector<std::string>{"run"});
  EXPECT_TRUE(servers.last().stopped);
  EXPECT_EQ(stopped.count(), 0u) << "answered before the server was gone";
  ASSERT_EQ(answers.size(), 2u) << "the run was not answered";
  servers.last().end({msg::errc::server_died, "ended with exit code 0"});
  settle();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(sys.registry().running(), 1u);
}

TEST_F(supervisor_test, a_server_that_does_not_end_does_not_hold_it_up) {
  auto stopped = send<bool>(supervisor, msg::stop_atom::value);
  settle();
  advance(msg::limits::shutdown_max);
  EXPECT_TRUE(stopped.get());
}

TEST_F(supervisor_test, two_who_ask_for_the_end_both_hear_of_it) {
  auto a = send<bool>(supervisor, msg::stop_atom::value), b = send<bool>(supervisor, msg::stop_atom::value);
  settle();
  servers.last().end({msg::errc::server_died, "ended"});
  settle();
  EXPECT_TRUE(a.get());
  EXPECT_TRUE(b.get());
}
