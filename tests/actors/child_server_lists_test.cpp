// Long lists of tools: taken apart by the worker, while the reader waits.
#include "tests/actors/child_server_fixture.hpp"

using namespace testing_support;
namespace limits = msg::limits;
using msg::errc;

struct child_server_lists_test : child_server_test {
  put_off worker;
  pending<tools_result> tools;
  pending<bool> reader;

  /// A server that has begun to answer with a list of that many.
  child_server_lists_test() {
    auto o = options();
    o.offload = worker;
    serve(entry("kid"), std::move(o));
    tools = send<tools_result>(server, msg::tools_atom::value);
    settle();
    fake_servers::answer_handshake(servers.last(), {});
    settle();
    reader = answer(fake_servers::tools(names(10'000)));
  }
  ~child_server_lists_test() override {
    worker.all->clear();
    tools = {};
    reader = {};
  }
  static std::vector<std::string> names(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i)
      out.push_back("tool_" + std::to_string(i));
    return out;
  }
  pending<bool> answer(json::array list) {
    auto& c = servers.last();
    json::object answer{{"jsonrpc", "2.0"},
                        {"id", c.take("tools/list").at(0).at("id")},
                        {"result", json::object{{"tools", std::move(list)}}}};
    auto p = send<bool>(server, msg::received_atom::value, c.generation, msg::document{std::move(answer)});
    settle();
    return p;
  }
};

TEST_F(child_server_lists_test, one_is_taken_apart_elsewhere) {
  EXPECT_EQ(reader.count(), 0u);
  EXPECT_EQ(status().tool_count, 0u);
  EXPECT_EQ(worker.carry_out(), 1u);
  settle();
  EXPECT_TRUE(reader.get());
  EXPECT_EQ(tools.get().value->size(), 10'000u);
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  advance(limits::child_list_debounce);
  EXPECT_TRUE(answer(fake_servers::tools({"echo"})).get()) << "a short one is not";
  EXPECT_EQ(status().tool_count, 1u);
  EXPECT_EQ(worker.carry_out(), 1u) << "the end of the long one takes long as well";
}

TEST_F(child_server_lists_test, one_for_which_there_is_no_memory_fails_the_start) {
  worker.all->front().done({errc::overloaded, "there is no memory for it"});
  settle();
  EXPECT_TRUE(reader.get());
  EXPECT_NE(tools.get().error.message.find("no memory"), std::string::npos) << tools.get().error.message;
}

TEST_F(child_server_lists_test, one_of_a_connection_that_has_ended_is_nobodys) {
  die();
  EXPECT_FALSE(tools.get().ok());
  EXPECT_EQ(worker.carry_out(), 1u);
  settle();
  EXPECT_TRUE(reader.get());
  EXPECT_EQ(status().tool_count, 0u);
}

TEST_F(child_server_lists_test, nobody_waits_for_a_server_that_is_no_more) {
  self->send_exit(server, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(reader.get());
}
