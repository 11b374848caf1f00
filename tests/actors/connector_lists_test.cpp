// Long lists of tools: their names are put in order by the worker, and calls wait for it.
#include "tests/actors/connector_fixture.hpp"
#include "tests/actors/put_off.hpp"

using namespace testing_support;
using msg::errc;

struct connector_lists_test : connector_test {
  put_off worker;
  pending<tool_result> asked;

  /// A server has told a list, and an execution asks for one of its tools.
  connector_lists_test() {
    actors::connector_options o;
    o.servers = {entry("kid")};
    o.offload = worker;
    begin_with(std::move(o));
    asked = resolve({"", "kid", "tool_1500"});
    std::vector<std::string> names;
    for (int i = 0; i < 2'000; ++i)
      names.push_back("tool-" + std::to_string(i));
    finish_handshakes(names);
    worker.carry_out(); // the page is read elsewhere, as large ones are
    settle();
  }
  ~connector_lists_test() override {
    worker.all->clear();
    asked = {};
    end();
  }
};

TEST_F(connector_lists_test, a_tool_is_found_when_they_are_in_order) {
  EXPECT_EQ(asked.count(), 0u);
  EXPECT_EQ(worker.carry_out(), 1u);
  settle();
  EXPECT_EQ(asked.get().value.name, "tool-1500");
}

TEST_F(connector_lists_test, a_newer_one_is_read_when_the_older_one_is_in_order) {
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  advance(msg::limits::child_list_debounce);
  EXPECT_TRUE(servers.last().take("tools/list").empty());
  EXPECT_EQ(worker.carry_out(), 1u);
  settle();
  advance(10 * msg::limits::child_list_debounce);
  finish_handshakes({"echo"});
  auto echo = resolve({"", "kid", "echo"});
  EXPECT_GE(worker.carry_out(), 1u);
  settle();
  EXPECT_EQ(echo.get().value.name, "echo");
  EXPECT_EQ(resolve({"", "kid", "tool_1500"}).get().error.code, errc::unknown_tool);
}

TEST_F(connector_lists_test, one_for_which_there_is_no_memory_is_not_used) {
  worker.all->front().done({errc::overloaded, "there is no memory for it"});
  settle();
  EXPECT_NE(asked.get().error.message.find("could not be looked at"), std::string::npos) << asked.get().error.message;
}
