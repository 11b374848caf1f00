// Many patterns and many tools: nobody else waits for them to be held against each other.
#include "tests/actors/connector_fixture.hpp"
#include "tests/actors/put_off.hpp"

using namespace testing_support;

/// No three characters stand in a row in these patterns: each is held against each of the long names.
struct connector_patterns : connector_test {
  put_off elsewhere;
  msg::tool_filter many;
  void begin_long() {
    for (int i = 0; i < 1'000; ++i)
      many.patterns.push_back("*z*z*z*" + std::string(1, static_cast<char>('A' + i % 50)) + "y");
    many.everything = false;
    actors::connector_options o;
    o.servers = {entry("a")};
    o.offload = elsewhere;
    begin_with(std::move(o));
    (void)resolve({"", "a", "z"});
    std::vector<std::string> names;
    for (int i = 0; i < 300; ++i)
      names.push_back(std::string(450, 'z') + std::to_string(i));
    names.push_back("zzzAy");
    finish_handshakes(names);
    elsewhere.carry_out();
    settle();
  }
};

TEST_F(connector_patterns, many_of_them_and_many_tools_do_not_hold_the_one_thread) {
  begin_long();
  auto list = send<msg::server_list>(connector, msg::servers_atom::value, many);
  settle();
  EXPECT_EQ(list.count(), 0u);
  while (list.count() == 0) {
    ASSERT_EQ(elsewhere.carry_out(), 1u);
    settle();
  }
  EXPECT_EQ(list.get().at(0).tools, std::vector<std::string>{"zzzAy"});
}

TEST_F(connector_patterns, what_a_run_has_asked_for_ends_with_it) {
  begin_long();
  auto run = sys.spawn(
    [](caf::event_based_actor* me, msg::connector_actor to, msg::tool_filter filter) -> caf::behavior {
      me->send(to, msg::attach_atom::value, uint64_t{7});
      me->request(to, caf::infinite, msg::servers_atom::value, std::move(filter)).then([](const msg::server_list&) {}, [](const caf::error&) {});
      return {[](int) {}};
    },
    connector, many);
  settle();
  ASSERT_EQ(elsewhere.all->size(), 1u);
  self->send_exit(run, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(elsewhere.carry_out(), 1u);
  settle();
  EXPECT_EQ(elsewhere.carry_out(), 0u) << "it does not go on";
}
