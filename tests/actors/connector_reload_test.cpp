// Another configuration, while runs go on.
#include "tests/actors/connector_limits_fixture.hpp"

struct connector_reload : connector_limits {
  caf::actor run_actor;
  msg::server_changes reload(msg::server_entries entries) {
    return ask<msg::server_changes>(connector, msg::reload_atom::value, std::move(entries));
  }
  static msg::server_entry other(std::string name) {
    auto e = entry(std::move(name));
    e.args = {"--other"};
    return e;
  }
  /// A run that goes on until the test ends it.
  caf::actor begin_run(uint64_t id) {
    auto run = sys.spawn(
      [](caf::event_based_actor* me, msg::connector_actor to, uint64_t number) -> caf::behavior {
        me->send(to, msg::attach_atom::value, number, msg::client_abilities{});
        return {[](int) {}};
      },
      connector, id);
    settle();
    return run;
  }
  void end_run(const caf::actor& run) {
    self->send_exit(run, caf::exit_reason::user_shutdown);
    settle();
  }
};

TEST_F(connector_reload, only_what_has_changed_is_restarted) {
  begin({"same", "changed", "removed"});
  for (auto* name : {"same", "changed", "removed"})
    (void)call(name);
  answer_all();
  auto changes = reload({entry("same"), other("changed"), entry("added")});
  EXPECT_EQ(changes.added, std::vector<std::string>{"added"});
  EXPECT_EQ(changes.changed, std::vector<std::string>{"changed"});
  EXPECT_EQ(changes.removed, std::vector<std::string>{"removed"});
  settle();
  EXPECT_FALSE(running("same")->stopped);
  EXPECT_TRUE(running("changed")->stopped);
  EXPECT_TRUE(running("removed")->stopped);
  let_stopped_end();
  EXPECT_EQ(resolve({"mcp__removed__echo", "", ""}).get().error.code, errc::unknown_server);
  auto added = resolve({"mcp__added__echo", "", ""});
  finish_handshakes({"echo"});
  EXPECT_TRUE(added.get().ok());
  EXPECT_EQ(search("echo").get().value.not_indexed, std::vector<std::string>{"changed"});
}

TEST_F(connector_reload, a_run_finishes_with_the_servers_that_it_began_with) {
  begin({"kid"});
  auto run = begin_run(1);
  (void)call("kid");
  answer_all();
  auto* old = running("kid");
  (void)reload({});
  EXPECT_FALSE(old->stopped) << "a run may still need it";
  EXPECT_TRUE(resolve({"mcp__kid__echo", "", "", {}, 1}).get().ok());
  EXPECT_EQ(resolve({"mcp__kid__echo", "", ""}).get().error.code, errc::unknown_server);
  auto c = call("kid");
  answer_all();
  EXPECT_TRUE(c.get().ok());
  end_run(run);
  EXPECT_TRUE(old->stopped);
  let_stopped_end();
}

TEST_F(connector_reload, a_later_run_gets_the_new_server) {
  begin({"kid"});
  auto first = begin_run(1);
  (void)call("kid");
  answer_all();
  (void)reload({other("kid")});
  auto second = begin_run(2);
  auto c = send<call_result>(connector, msg::call_atom::value, wanted_call({2, 1}, "kid"));
  settle();
  EXPECT_EQ(servers.connections.size(), 2u);
  answer_all();
  EXPECT_TRUE(c.get().ok());
  end_run(first);
  EXPECT_TRUE(servers.connections[0]->stopped);
  EXPECT_FALSE(servers.connections[1]->stopped);
  end_run(second);
  let_stopped_end();
}

TEST_F(connector_reload, what_is_only_told_to_people_restarts_nobody) {
  begin({"kid"});
  (void)call("kid");
  answer_all();
  auto told = entry("kid");
  told.shadows = {"/home/u/other.json"};
  told.disabled = true;
  EXPECT_TRUE(reload({told}).changed.empty());
  EXPECT_FALSE(running("kid")->stopped);
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).front().shadows, told.shadows);
}

TEST_F(connector_reload, a_server_that_an_old_run_still_uses_takes_no_place_of_its_successor) {
  auto o = options({"kid", "busy"});
  o.running_max = 1;
  begin_with(std::move(o));
  auto run = begin_run(1);
  (void)reload({other("kid"), entry("busy")});
  auto open = send<call_result>(connector, msg::call_atom::value, wanted_call({2, 1}, "busy"));
  settle();
  finish_handshakes({"echo"}); // and keeps the only place
  auto c = call("kid");        // of the run that began before
  answer_all();
  EXPECT_TRUE(c.get().ok());
  EXPECT_EQ(servers.connections.size(), 2u);
  end_run(run);
  let_stopped_end();
  auto of_successor = send<call_result>(connector, msg::call_atom::value, wanted_call({2, 2}, "kid"));
  settle();
  let_stopped_end(); // 'busy', which gives up its place
  EXPECT_EQ(servers.connections.size(), 3u) << "nothing was kept under the name";
  EXPECT_EQ(running_count(), 1u);
}

TEST_F(connector_reload, a_server_with_a_place_keeps_it_while_an_old_one_has_one_on_top) {
  auto o = options({"kid", "busy"});
  o.running_max = 1;
  begin_with(std::move(o));
  auto run = begin_run(1);
  (void)reload({other("kid"), entry("busy")});
  for (uint64_t number = 1; number <= 2; ++number) {
    auto of_busy = send<call_result>(connector, msg::call_atom::value, wanted_call({2, number}, "busy"));
    settle();
    auto of_old = call("kid");
    answer_all();
    EXPECT_TRUE(of_busy.get().ok()) << "call " << number;
    EXPECT_TRUE(of_old.get().ok()) << "call " << number;
  }
  end_run(run);
  let_stopped_end();
}

TEST_F(connector_reload, a_hundred_reloads_leave_nothing_behind) {
  begin({"kid"});
  for (int i = 0; i < 100; ++i) {
    auto run = begin_run(static_cast<uint64_t>(i + 1));
    auto e = entry("kid");
    e.args = {std::to_string(i)};
    (void)reload({e});
    end_run(run);
    let_stopped_end();
  }
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).size(), 1u);
  EXPECT_LE(running_count(), 1u);
}
