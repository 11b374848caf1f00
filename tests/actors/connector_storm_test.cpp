// A seeded storm for the connector: servers that start, die and change their tools, reloads, and runs that end, while
// calls and questions are on their way.
#include "tests/actors/connector_fixture.hpp"

using namespace std::literals;
using namespace testing_support;

namespace {

using call_result = msg::outcome<msg::tool_result>;

struct connector_storm : connector_test, public ::testing::WithParamInterface<int> {
  std::vector<pending<call_result>> calls;
  std::vector<pending<search_result>> searches;
  std::vector<pending<tool_result>> looks;
  std::vector<pending<msg::server_list>> lists;
  std::vector<msg::call_key> keys;

  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[rng() % all.size()];
  }
  std::string some_server() { return one_of({"a"s, "b"s, "c"s, "nobody"s}); }

  void ask_something() {
    switch (rng() % 5) {
      case 0: {
        msg::tool_query q;
        q.text = "echo";
        q.server = rng() % 2 == 0 ? some_server() : "";
        return searches.push_back(send<search_result>(connector, msg::search_atom::value, std::move(q)));
      }
      case 1:
        return looks.push_back(send<tool_result>(connector, msg::describe_atom::value,
                                                 msg::tool_ref{"", some_server(), "echo"}, msg::tool_filter{}));
      case 2: return lists.push_back(send<msg::server_list>(connector, msg::servers_atom::value));
      default: {
        keys.push_back({1 + rng() % 3, keys.size() + 1});
        auto wanted = wanted_call(keys.back(), some_server(), one_of({"echo"s, "readFile"s, "gone"s}));
        calls.push_back(send<call_result>(connector, msg::call_atom::value, std::move(wanted)));
      }
    }
  }
  void happens_to_a_server() {
    if (servers.connections.empty())
      return;
    auto& c = *servers.connections[rng() % servers.connections.size()];
    switch (rng() % 6) {
      case 0: return c.end({msg::errc::server_died, "storm"});
      case 1: return c.say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
      case 2:
      case 3:
        for (auto& request : c.take("tools/call"))
          c.answer(request, text_result("ok"));
        return;
      default: return fake_servers::answer_handshake(c, {"echo", "read-file"});
    }
  }
  void happens_to_a_run() {
    if (!keys.empty() && rng() % 2 == 0)
      caf::anon_send(connector, msg::cancel_atom::value, keys[rng() % keys.size()]);
    else
      caf::anon_send(connector, msg::finish_atom::value, 1 + rng() % 3);
  }
  void reload() {
    msg::server_entries now;
    for (auto name : {"a", "b", "c"})
      if (rng() % 4 != 0) {
        now.push_back(entry(name));
        now.back().args = {std::to_string(rng() % 2)};
      }
    caf::anon_send(catalog, msg::reload_atom::value, now);
    send<msg::server_changes>(connector, msg::reload_atom::value, std::move(now));
  }
};

} // namespace

TEST_P(connector_storm, every_question_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  begin({"a", "b", "c"});
  for (int i = 0; i < 120; ++i) {
    switch (rng() % 10) {
      case 0: sched.advance_time(std::chrono::milliseconds(rng() % 3'000)); break;
      case 1: happens_to_a_run(); break;
      case 2:
        if (rng() % 4 == 0)
          reload();
        break;
      case 3:
      case 4:
      case 5:
      case 6: happens_to_a_server(); break;
      default: ask_something();
    }
    if (rng() % 3 != 0)
      settle_shuffled();
  }
  settle_shuffled();
  end(); // the rest is answered by it
  for (size_t i = 0; i < calls.size(); ++i)
    EXPECT_EQ(calls[i].count(), 1u) << "call " << i;
  for (auto& p : searches)
    EXPECT_EQ(p.count(), 1u);
  for (auto& p : looks)
    EXPECT_EQ(p.count(), 1u);
  for (auto& p : lists)
    EXPECT_EQ(p.count(), 1u);
}
INSTANTIATE_TEST_SUITE_P(seeds, connector_storm, ::testing::Range(0, 60));
