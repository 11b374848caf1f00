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
    auto p = send<bool>(server, msg::received_atom::value, c.generation, msg::document{std::move(answer)}, uint64_t{0});
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

// ---- resources and prompts -------------------------------------------------------------------

struct child_server_items_test : child_server_lists_test {
  pending<call_result> listing;

  child_server_items_test() {
    worker.carry_out();
    settle();
    auto asked = make_call("resources/list");
    asked.method = msg::child_method::list_resources;
    listing = send<call_result>(server, msg::call_atom::value, std::move(asked));
    settle();
    worker.carry_out();
    settle();
  }
  ~child_server_items_test() override { listing = {}; }
  static json::array items(size_t count) { return json::array(count, json::object{{"uri", "file:///some/where"}}); }
  void page(const char* method, json::object result) {
    auto& c = servers.last();
    c.answer(c.take(method).at(0), std::move(result));
    settle();
  }
};

TEST_F(child_server_items_test, long_pages_are_joined_elsewhere) {
  page("resources/list", {{"resources", items(10'000)}, {"nextCursor", "2"}});
  page("resources/list", {{"resources", items(10'000)}});
  EXPECT_TRUE(worker.all->empty()) << "nothing is done with a page but to keep it";
  page("resources/templates/list", {{"resourceTemplates", items(1)}});
  EXPECT_EQ(listing.count(), 0u);
  ASSERT_EQ(worker.all->size(), 1u);
  worker.all->front().work(); // its end answers from within CAF's own scheduler, which these tests do not have
}

TEST_F(child_server_items_test, one_long_page_is_the_answer_as_it_is) {
  page("resources/list", {{"resources", items(10'000)}});
  page("resources/templates/list", {{"resourceTemplates", json::array{}}});
  EXPECT_TRUE(worker.all->empty());
  EXPECT_EQ(listing.get().value.envelope.value().as_array().size(), 10'000u);
}

TEST_F(child_server_items_test, short_pages_are_joined_at_once) {
  page("resources/list", {{"resources", items(1)}});
  page("resources/templates/list", {{"resourceTemplates", items(1)}});
  EXPECT_TRUE(worker.all->empty());
  EXPECT_EQ(listing.get().value.envelope.value().as_array().size(), 2u);
}

TEST_F(child_server_items_test, long_pages_that_nobody_needs_end_elsewhere) {
  page("resources/list", {{"resources", items(10'000)}, {"nextCursor", "2"}});
  self->send(server, msg::finish_atom::value, uint64_t{1});
  settle();
  EXPECT_FALSE(listing.get().ok());
  EXPECT_EQ(worker.carry_out(), 1u);
  EXPECT_EQ(worker.carry_out(), 1u);
}

// ---- the end ---------------------------------------------------------------------------------

TEST_F(child_server_lists_test, nobody_waits_for_a_server_that_is_no_more) {
  self->send_exit(server, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_TRUE(reader.get());
}
