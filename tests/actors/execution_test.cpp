#include "actors/execution.hpp"

#include "messages/limits.hpp"
#include "proxy/unwrap.hpp"
#include "tests/actors/deterministic.hpp"

#include <boost/json.hpp>

using namespace std::literals;
using namespace testing_support;
namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::run_status;
using tool_result = msg::outcome<msg::tool_info>;

/// What the fake guest and the fake connector have heard; shared with their actors.
struct world {
  msg::guest_listener listener;
  std::vector<std::pair<uint64_t, msg::outcome<msg::document>>> replies;
  std::vector<msg::tool_call> calls;
  std::vector<msg::call_key> cancelled;
  std::vector<caf::typed_response_promise<msg::outcome<msg::document>>> open_calls;
  int finished = 0;
  bool answers_calls = true;
};

msg::sandbox_actor::behavior_type fake_sandbox(msg::sandbox_actor::pointer self, std::shared_ptr<world> w) {
  return {
    [](msg::run_atom, const std::string&) {},
    [w](msg::reply_atom, uint64_t id, const msg::outcome<msg::document>& answer) { w->replies.emplace_back(id, answer); },
    [self, w](msg::finish_atom) {
      ++w->finished;
      self->quit();
      msg::guest_output out;
      out.output.head = "printed so far";
      return out;
    },
    [](msg::frame_atom, const msg::document&) { return true; },
    [](msg::exit_atom, const msg::guest_exit&) {},
  };
}

msg::connector_actor::behavior_type fake_connector(msg::connector_actor::pointer self, std::shared_ptr<world> w) {
  return {
    [](msg::resolve_atom, const msg::tool_ref& ref, const msg::tool_filter&) {
      msg::tool_info tool;
      tool.server = "s";
      tool.name = ref.tool;
      return ref.tool == "unknown" ? tool_result{msg::fault{errc::unknown_tool, "no such tool"}} : tool_result{tool};
    },
    [self, w](msg::call_atom, const msg::tool_call& call) -> caf::result<msg::outcome<msg::document>> {
      w->calls.push_back(call);
      if (w->answers_calls)
        return msg::outcome<msg::document>{msg::document{json::parse(R"({"structuredContent":{"sum":3}})")}};
      auto promise = self->make_response_promise<msg::outcome<msg::document>>();
      w->open_calls.push_back(promise);
      return promise;
    },
    [w](msg::cancel_atom, const std::string&, msg::call_key key) { w->cancelled.push_back(key); },
    [](msg::search_atom, const msg::tool_query&) { return msg::outcome<msg::tool_matches>{}; },
    [](msg::servers_atom) { return msg::server_list{}; },
    [](msg::tools_atom, const std::string&, const msg::tool_list&) {},
    [](msg::stop_atom) { return true; },
  };
}

struct execution_test : deterministic {
  std::shared_ptr<world> w = std::make_shared<world>();
  msg::connector_actor connector = sys.spawn(fake_connector, w);
  msg::execution_actor execution;
  pending<msg::run_report> report;

  void begin(bool wants_progress = false) {
    actors::execution_options o;
    o.connector = connector;
    o.spawn_sandbox = [this](caf::local_actor* parent, msg::language, uint32_t, msg::guest_listener listener) {
      w->listener = std::move(listener);
      return parent->spawn(fake_sandbox, w);
    };
    o.unwrap_large = [](msg::document result, auto done) { done(proxy::unwrap(result)); };
    execution = sys.spawn(actors::execution, std::move(o));
    msg::run_request request;
    request.id = 7;
    request.timeout_ms = 5'000;
    request.wants_progress = wants_progress;
    report = send<msg::run_report>(execution, msg::run_atom::value, std::move(request), msg::run_listener{});
    settle();
  }
  ~execution_test() override {
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    if (execution)
      self->send_exit(execution, caf::exit_reason::user_shutdown);
    connector = nullptr;
    execution = nullptr;
    settle();
    *w = world{};
  }
  void frame(std::string_view text) {
    caf::anon_send(w->listener, msg::frame_atom::value, msg::document{json::parse(text)});
    settle();
  }
  void exit(int code, std::string problem = {}) {
    msg::guest_exit how;
    how.code = code;
    how.problem = std::move(problem);
    caf::anon_send(w->listener, msg::exit_atom::value, how);
    settle();
  }
  void call(int id, std::string tool = "add") {
    frame(R"({"type":"request","id":)" + std::to_string(id) + R"(,"method":"call","params":{"server":"s","tool":")" + tool + R"(","args":{}}})");
  }
};

TEST_F(execution_test, a_result_is_reported_with_the_output) {
  begin();
  frame(R"({"type":"ready"})");
  frame(R"({"type":"done","result":{"x":1}})");
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::success);
  EXPECT_EQ(r.result.text(), R"({"x":1})");
  EXPECT_EQ(r.output.head, "printed so far");
  EXPECT_EQ(w->finished, 1);
}

TEST_F(execution_test, a_call_is_resolved_dispatched_unwrapped_and_counted) {
  begin();
  call(1);
  call(2, "unknown");
  ASSERT_EQ(w->replies.size(), 2u);
  EXPECT_EQ(w->replies[0].second.value.text(), R"({"sum":3})");
  EXPECT_EQ(w->replies[1].second.error.code, errc::unknown_tool);
  frame(R"({"type":"done"})");
  auto tools = report.get().tools;
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0].name, "mcp__s__add");
  EXPECT_EQ(tools[0].successes, 1u);
  EXPECT_EQ(tools[1].errors, 1u);
}

TEST_F(execution_test, the_deadline_ends_it_and_cancels_calls_in_flight) {
  begin();
  w->answers_calls = false;
  call(1);
  advance(4'999ms);
  EXPECT_EQ(report.count(), 0u);
  advance(1ms);
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::timeout);
  EXPECT_EQ(r.error.code, errc::run_timeout);
  ASSERT_EQ(w->cancelled.size(), 1u);
  EXPECT_EQ(w->cancelled[0], (msg::call_key{7, 1}));
  EXPECT_EQ(r.tools.at(0).errors, 1u);
}

TEST_F(execution_test, cancel_ends_it_once) {
  begin();
  self->send(execution, msg::cancel_atom::value);
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(report.get().status, run_status::cancelled);
  EXPECT_EQ(w->finished, 1);
}

TEST_F(execution_test, forged_and_broken_frames_fail_the_run_and_nothing_else) {
  for (auto text : {R"(5)", R"({"type":"reply","id":1})", R"({"type":"request","id":-1,"method":"call","params":{}})", R"({"type":"request","id":1})",
                    R"({"type":"done","error":5})"}) {
    begin();
    frame(text);
    EXPECT_EQ(report.get().error.code, errc::guest_protocol) << text;
    settle();
  }
}

TEST_F(execution_test, an_id_used_twice_is_a_violation) {
  begin();
  w->answers_calls = false;
  call(1);
  call(1);
  EXPECT_EQ(report.get().error.code, errc::guest_protocol);
}

TEST_F(execution_test, frames_after_the_end_change_nothing) {
  begin();
  auto listener = w->listener;
  frame(R"({"type":"done","result":1})");
  caf::anon_send(listener, msg::frame_atom::value, msg::document{json::parse(R"({"type":"done","result":2})")});
  settle();
  EXPECT_EQ(report.get().result.text(), "1");
}

TEST_F(execution_test, a_guest_that_dies_is_a_failed_run) {
  begin();
  frame(R"({"type":"ready"})");
  exit(137);
  EXPECT_EQ(report.get().error.code, errc::guest_died);
  EXPECT_NE(report.get().error.message.find("memory limit"), std::string::npos);
}

TEST_F(execution_test, a_guest_that_never_was_ready_could_not_be_started) {
  begin();
  exit(1);
  auto e = report.get().error;
  EXPECT_EQ(e.code, errc::runtime_missing);
  EXPECT_NE(e.message.find("printed so far") == std::string::npos && e.message.find("could not start") != std::string::npos, false);
}

TEST_F(execution_test, one_run_has_a_bound_on_its_calls) {
  begin();
  for (uint32_t i = 1; i <= limits::tool_calls_max + 1; ++i)
    call(static_cast<int>(i));
  ASSERT_EQ(w->replies.size(), limits::tool_calls_max + 1);
  EXPECT_EQ(w->calls.size(), limits::tool_calls_max);
  int refused = 0;
  for (auto& [id, answer] : w->replies)
    refused += answer.error.code == errc::limit_exceeded;
  EXPECT_EQ(refused, 1);
  frame(R"({"type":"done"})");
}

TEST_F(execution_test, one_run_has_a_bound_on_open_requests) {
  begin();
  w->answers_calls = false;
  for (size_t i = 1; i <= limits::guest_requests_max + 1; ++i)
    call(static_cast<int>(i));
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::overloaded);
  frame(R"({"type":"done"})");
  EXPECT_EQ(w->cancelled.size(), limits::guest_requests_max);
}

/// A seeded storm: whatever happens in whatever order, the run is reported once and every open call is cancelled.
class execution_storm : public execution_test, public ::testing::WithParamInterface<int> {};

TEST_P(execution_storm, is_reported_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  begin();
  w->answers_calls = rng() % 2 == 0;
  int id = 0;
  auto listener = w->listener;
  auto post = [&](std::string text) { caf::anon_send(listener, msg::frame_atom::value, msg::document{json::parse(text)}); };
  for (int i = 0; i < 60; ++i) {
    switch (rng() % 12) {
      case 0: post(R"({"type":"done","result":1})"); break;
      case 1: self->send(execution, msg::cancel_atom::value); break;
      case 2: post("[]"); break;
      case 3: sched.advance_time(std::chrono::milliseconds(rng() % 300)); break;
      case 4: {
        msg::guest_exit how;
        how.code = static_cast<int>(rng() % 3);
        caf::anon_send(listener, msg::exit_atom::value, how);
        break;
      }
      default: post(R"({"type":"request","id":)" + std::to_string(++id) + R"(,"method":"call","params":{"server":"s","tool":"add"}})"); break;
    }
    if (rng() % 4 == 0)
      settle_shuffled();
  }
  advance(6s);
  EXPECT_EQ(report.count(), 1u);
}
INSTANTIATE_TEST_SUITE_P(seeds, execution_storm, ::testing::Range(0, 100));
