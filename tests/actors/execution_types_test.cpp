// A run whose types are to be checked first.
#include "actors/execution.hpp"
#include "tests/actors/deterministic.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace {

namespace json = boost::json;
using msg::errc;
using msg::run_status;
using namespace testing_support;

/// What the fakes were asked.
struct world {
  std::vector<msg::guest_request> wishes;
  std::vector<msg::tool_query> searches;
};

msg::connector_actor::behavior_type fake_connector(msg::connector_actor::pointer, std::shared_ptr<world> w) {
  using tool = msg::outcome<msg::tool_info>;
  return {
    [](msg::describe_atom, const msg::tool_ref&, const msg::tool_filter&) { return tool{}; },
    [](msg::observe_atom, const msg::tool_ref&, const msg::document&) {},
    [](msg::call_atom, const msg::tool_request&) { return msg::outcome<msg::tool_result>{}; },
    [](msg::login_atom, const msg::login_request&) { return msg::outcome<bool>{true}; },
    [](msg::cancel_atom, msg::call_key) {},
    [](msg::finish_atom, uint64_t) {},
    [](msg::phase_atom, const std::vector<msg::tool_ref>&) { return std::vector<msg::server_start>{}; },
    [w](msg::search_atom, const msg::tool_query& query) {
      w->searches.push_back(query);
      msg::tool_matches known;
      known.tools.resize(2);
      return msg::outcome<msg::tool_matches>{known};
    },
    [](msg::servers_atom) { return msg::server_list{}; },
    [](msg::servers_atom, const msg::tool_filter&) { return msg::server_list{}; },
    [](msg::tools_atom, const std::string&, const msg::listed_tools&) {
      return msg::outcome<std::vector<std::string>>{};
    },
    [](msg::attach_atom, uint64_t, const msg::client_abilities&) {},
    [](msg::reload_atom, const msg::server_entries&) { return msg::server_changes{}; },
    [](msg::running_atom, const std::string&, bool) {},
    [](msg::checked_atom, uint64_t, const msg::fault&) {},
    [](msg::index_atom, const std::string&) { return msg::outcome<uint32_t>{0}; },
    [](msg::stop_atom) { return true; },
  };
}

/// Has no guest: enough to see that one was asked for.
msg::sandbox_pool_actor::behavior_type fake_pool(msg::sandbox_pool_actor::pointer, std::shared_ptr<world> w) {
  return {
    [w](msg::take_atom, const msg::guest_request& wish) {
      w->wishes.push_back(wish);
      return msg::outcome<msg::guest_lease>{msg::fault{errc::runtime_missing, "no guest here"}};
    },
    [](msg::status_atom) { return msg::pool_status{}; },
    [](msg::phase_atom, uint64_t, msg::guest_phase) {},
    [](msg::tick_atom) {},
  };
}

struct execution_types : deterministic {
  std::shared_ptr<world> w = std::make_shared<world>();
  msg::connector_actor connector = sys.spawn(fake_connector, w);
  msg::sandbox_pool_actor pool = sys.spawn(fake_pool, w);
  msg::execution_actor execution;
  pending<msg::run_report> report;
  msg::type_check_request checked;
  std::function<void(msg::outcome<msg::document>)> types_done;
  int checks_stopped = 0;
  uint64_t asking_client = 0;

  void begin() {
    actors::execution_options o;
    o.connector = connector;
    o.guests.pools = {{msg::language::typescript, pool}};
    o.check_types = [this](uint64_t client, msg::type_check_request what, auto done) {
      asking_client = client;
      checked = std::move(what);
      types_done = std::move(done);
      return [this] { ++checks_stopped; };
    };
    execution = sys.spawn(actors::execution, std::move(o));
    msg::run_request request;
    request.id = 7;
    request.client = 3;
    request.timeout_ms = 5'000;
    request.code = "code";
    request.type_check = true;
    report = send<msg::run_report>(execution, msg::run_atom::value, std::move(request), msg::run_listener{});
    settle();
  }
  ~execution_types() override {
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    if (execution)
      self->send_exit(execution, caf::exit_reason::user_shutdown);
    types_done = nullptr; // holds the execution
    connector = nullptr;
    pool = nullptr;
    execution = nullptr;
    settle();
  }
  void types_are(msg::outcome<msg::document> problems) {
    types_done(std::move(problems));
    settle();
  }
};

TEST_F(execution_types, nothing_is_executed_before_they_fit) {
  begin();
  EXPECT_EQ(checked.code, "code");
  EXPECT_EQ(checked.tools.size(), 2u);
  EXPECT_EQ(checked.timeout_ms, 5'000u);
  EXPECT_EQ(asking_client, 3u) << "each waits for itself";
  ASSERT_EQ(w->searches.size(), 1u);
  EXPECT_TRUE(w->searches[0].text.empty() && w->searches[0].server.empty()); // starts no server
  EXPECT_TRUE(w->wishes.empty());
  types_are(msg::document{json::parse("[]")});
  EXPECT_EQ(w->wishes.size(), 1u);
  EXPECT_EQ(report.get().error.message, "no guest here");
}

TEST_F(execution_types, that_do_not_fit_are_the_error_of_the_run) {
  begin();
  types_are(msg::document{json::parse(
    R"([{"line":2,"column":7,"message":"No."},{"line":9,"column":1,"message":"Nor this."},5,{"line":-1}])")});
  auto got = report.get();
  EXPECT_EQ(got.status, run_status::error);
  EXPECT_EQ(got.error.name, "TypeCheckError");
  EXPECT_EQ(got.error.line, 2u);
  EXPECT_EQ(got.error.column, 7u);
  EXPECT_EQ(got.error.message, "2:7: No.\n9:1: Nor this.\n0:0: ");
  EXPECT_TRUE(w->wishes.empty());
}

TEST_F(execution_types, many_mistakes_are_counted) {
  begin();
  json::array many(50, json::object{{"line", 1}, {"column", 1}, {"message", "No."}});
  types_are(msg::document{json::value(many)});
  EXPECT_NE(report.get().error.message.find("\nand 30 more"), std::string::npos);
}

TEST_F(execution_types, a_check_that_fails_fails_the_run) {
  begin();
  types_are(msg::fault{errc::internal, "why"});
  EXPECT_EQ(report.get().status, run_status::error);
  EXPECT_EQ(report.get().error.message, "why");
}

TEST_F(execution_types, a_check_that_takes_too_long_is_a_timeout) {
  begin();
  types_are(msg::fault{errc::run_timeout, "late"});
  EXPECT_EQ(report.get().status, run_status::timeout);
}

TEST_F(execution_types, are_no_longer_checked_when_the_run_is_cancelled) {
  begin();
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(report.get().status, run_status::cancelled);
  EXPECT_EQ(checks_stopped, 1);
  types_are(msg::document{json::parse("[]")}); // too late
  EXPECT_TRUE(w->wishes.empty());
  EXPECT_EQ(report.count(), 1u);
}

} // namespace
