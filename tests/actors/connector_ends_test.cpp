// Calls of a run that is over, wherever the connector has them.
#include "tests/actors/connector_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::errc;
using call_result = msg::outcome<msg::tool_result>;

struct connector_ends : connector_test {
  uint64_t last_call = 0;

  pending<call_result> call(std::string server, uint64_t run, msg::child_method method = msg::child_method::call_tool) {
    auto c = wanted_call({run, ++last_call}, std::move(server));
    c.tool.method = method;
    auto p = send<call_result>(connector, msg::call_atom::value, std::move(c));
    settle();
    return p;
  }
  void end_run(uint64_t run) {
    self->send(connector, msg::finish_atom::value, run);
    settle();
  }
  fake_connection& connection_of(const std::string& server) {
    return **std::find_if(servers.connections.begin(), servers.connections.end(),
                          [&](auto& c) { return c->server == server && !c->gone; });
  }
};

TEST_F(connector_ends, every_server_that_the_run_has_called_hears_of_its_end) {
  begin({"a", "b", "c"});
  auto a = call("a", 1), b = call("b", 1), other = call("b", 2),
       resources = call("c", 1, msg::child_method::list_resources);
  finish_handshakes();
  end_run(1);
  EXPECT_EQ(a.get().error.code, errc::cancelled);
  EXPECT_EQ(b.get().error.code, errc::cancelled);
  EXPECT_EQ(resources.get().error.code, errc::cancelled);
  EXPECT_EQ(other.count(), 0u);
  for (auto* server : {"a", "b", "c"})
    EXPECT_EQ(connection_of(server).take("notifications/cancelled").size(), 1u) << server;
}

TEST_F(connector_ends, what_waits_for_a_place_never_leaves) {
  actors::connector_options o;
  o.servers = {entry("a"), entry("b")};
  o.running_max = 1;
  begin_with(std::move(o));
  auto known = resolve({"", "b", "echo"}); // a call would have its server started to tell its tools
  finish_handshakes();
  auto first = call("a", 1);
  connection_of("b").end({errc::server_died, "was told to"});
  settle();
  finish_handshakes();
  for (auto& request : connection_of("a").take("tools/call"))
    connection_of("a").answer(request, text_result("ok"));
  settle();
  auto waits = call("b", 1);
  ASSERT_TRUE(connection_of("a").stopped);
  end_run(1);
  EXPECT_EQ(waits.get().error.message, msg::run_ended_unsent);
  connection_of("a").end({errc::server_died, "was told to"});
  settle();
  EXPECT_EQ(servers.connections.size(), 2u) << "no call needs it";
}

TEST_F(connector_ends, a_run_that_ends_without_a_word_is_over_too) {
  begin({"a"});
  auto run = sys.spawn(
    [](caf::event_based_actor* execution, msg::connector_actor to) {
      execution->send(to, msg::attach_atom::value, uint64_t{1}, msg::client_abilities{});
      return caf::behavior{[](int) {}};
    },
    connector);
  settle();
  auto open = call("a", 1);
  finish_handshakes();
  self->send_exit(run, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(open.get().error.code, errc::cancelled);
  EXPECT_EQ(connection_of("a").take("notifications/cancelled").size(), 1u);
}
