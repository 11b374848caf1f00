// Many patterns and many tools: no other actor waits for them to be held against each other.
#include "testing/cpu_time.hpp"
#include "tests/actors/connector_fixture.hpp"
#include "tests/actors/put_off.hpp"

#include <chrono>

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
      me->send(to, msg::attach_atom::value, uint64_t{7}, msg::client_abilities{});
      me->request(to, caf::infinite, msg::servers_atom::value, std::move(filter))
        .then([](const msg::server_list&) {}, [](const caf::error&) {});
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

/// What a repository may configure, and the connector has not started: nothing of these patterns can be looked up, and
/// each is tried to its end.
TEST_F(connector_patterns, and_many_servers_without_tools_do_not_hold_it_either) {
  actors::connector_options o;
  o.offload = elsewhere;
  for (int i = 0; i < 1'000; ++i)
    o.servers.push_back(entry("s" + std::to_string(i) + std::string(400, 'a')));
  begin_with(std::move(o));
  std::string stars;
  for (int i = 0; i < 240; ++i)
    stars += "*a";
  msg::tool_filter filter{false, {}, {}};
  for (int i = 0; i < 33; ++i)
    filter.patterns.push_back(stars + '*' + static_cast<char>('A' + i % 26) + '*');
  auto before = test::cpu_time();
  auto list = send<msg::server_list>(connector, msg::servers_atom::value, filter);
  settle();
  EXPECT_LT(test::cpu_time() - before, std::chrono::milliseconds{500}) << "all of it takes several seconds";
  for (int slices = 0; list.count() == 0 && slices < 50; ++slices) {
    ASSERT_EQ(elsewhere.carry_out(), 1u);
    settle();
  }
  EXPECT_EQ(list.get().size(), 1'000u) << "each could have such a tool";
}

TEST_F(connector_patterns, a_server_whose_tools_may_not_be_used_is_listed_if_something_else_of_it_may_be) {
  begin({"a", "b", "c"});
  (void)resolve({"", "a", "echo"});
  (void)resolve({"", "b", "echo"});
  finish_handshakes({"echo"});
  auto listed = [&](msg::tool_filter filter) {
    auto list = send<msg::server_list>(connector, msg::servers_atom::value, std::move(filter));
    settle();
    std::string names;
    for (auto& status : list.get())
      names += status.name + std::to_string(status.tool_count);
    return names;
  };
  EXPECT_EQ(listed({false, {"*__prompts/get"}, {}}), "a0b0c0");
  EXPECT_EQ(listed({false, {"*__other"}, {}}), "c0") << "its tools are not known";
  EXPECT_EQ(listed({false, {"mcp__a__*", "mcp__b__other"}, {}}), "a1");
  EXPECT_EQ(listed({true, {}, {"b"}}), "b1");
}
