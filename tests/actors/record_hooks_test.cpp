// What servers and guests tell the record.
#include "actors/sandbox.hpp"
#include "tests/actors/child_server_fixture.hpp"
#include "tests/actors/fake_guests.hpp"
#include "tests/actors/fake_record.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;

struct server_record_test : child_server_test {
  heard_events heard = std::make_shared<std::vector<msg::audit_event>>();
  msg::audit_log_actor record = sys.spawn(fake_record, heard);

  server_record_test() {
    auto o = options();
    o.audit = record;
    o.limits.breaker = {2, 10min, 5min};
    serve(entry("kid"), std::move(o));
  }
  ~server_record_test() override {
    self->send_exit(record, caf::exit_reason::user_shutdown);
    record = nullptr;
  }
  std::vector<std::string> states() {
    std::vector<std::string> out;
    for (auto& e : std::exchange(*heard, {})) {
      EXPECT_EQ(e.kind, msg::audit_kind::server_state);
      EXPECT_EQ(e.server, "kid");
      EXPECT_EQ(e.success, e.error.empty());
      out.push_back(e.state);
    }
    return out;
  }
};

using strings = std::vector<std::string>;

TEST_F(server_record_test, hears_of_every_state_once) {
  start();
  EXPECT_EQ(states(), (strings{"starting", "connected"}));
  auto stopped = send<bool>(server, msg::stop_atom::value);
  settle();
  EXPECT_EQ(states(), strings{"stopping"});
  die();
  EXPECT_EQ(states(), strings{"idle"});
}

TEST_F(server_record_test, hears_why_a_server_failed_and_that_its_breaker_is_open) {
  start();
  die();
  EXPECT_EQ(states(), (strings{"starting", "connected", "failed"}));
  advance(limits::child_backoff_max);
  auto c = call("echo");
  finish_handshake();
  die();
  EXPECT_EQ(states(), (strings{"starting", "connected", "failed", "breaker open"}));
}

struct guest_record_test : deterministic {
  heard_events heard = std::make_shared<std::vector<msg::audit_event>>();
  msg::audit_log_actor record = sys.spawn(fake_record, heard);
  fake_guests guests;
  msg::sandbox_actor guest;

  guest_record_test() {
    actors::sandbox_options o;
    o.start = guests.factory();
    o.audit = record;
    guest = sys.spawn(actors::sandbox_guest, std::move(o));
    settle();
  }
  ~guest_record_test() override {
    self->send_exit(guest, caf::exit_reason::user_shutdown);
    self->send_exit(record, caf::exit_reason::user_shutdown);
    guest = nullptr;
    record = nullptr;
    settle();
    guests.all.clear();
  }
  void run(uint64_t number) {
    self->send(guest, msg::run_atom::value, msg::guest_program{"1", true, number});
    settle();
  }
  void connect() {
    msg::audit_event e;
    e.kind = msg::audit_kind::connection;
    caf::anon_send(guest, msg::audit_atom::value, std::move(e));
    settle();
  }
};

TEST_F(guest_record_test, a_connection_belongs_to_the_run_that_the_guest_serves) {
  run(7);
  connect();
  run(8);
  connect();
  ASSERT_EQ(heard->size(), 2u);
  EXPECT_EQ(heard->at(0).run, 7u);
  EXPECT_EQ(heard->at(1).run, 8u);
}

TEST_F(guest_record_test, connections_without_end_have_a_bounded_number_of_lines) {
  run(7);
  for (uint32_t i = 0; i < limits::audit_connections_max + 5; ++i)
    connect();
  EXPECT_EQ(heard->size(), limits::audit_connections_max);
  EXPECT_NE(heard->back().error.find("further connections"), std::string::npos);
  run(8);
  connect();
  EXPECT_EQ(heard->size(), limits::audit_connections_max + 1);
}
