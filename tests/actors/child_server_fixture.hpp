// One MCP server whose process is a fake.
#pragma once

#include "actors/child_server.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_server.hpp"
#include "tests/actors/put_off.hpp"

namespace testing_support {

using call_result = msg::outcome<msg::tool_result>;
using tools_result = msg::outcome<msg::listed_tools>;

struct child_server_test : deterministic {
  fake_servers servers;
  msg::child_server_actor server;
  uint64_t last_call = 0;

  child_server_test() { server = sys.spawn(actors::child_server, entry("kid"), options()); }
  ~child_server_test() override {
    self->send_exit(server, caf::exit_reason::user_shutdown);
    server = nullptr;
    settle();
    servers.connections.clear();
  }
  /// Instead of the one that the fixture has made.
  void serve(msg::server_entry e, actors::child_server_options o) {
    self->send_exit(server, caf::exit_reason::user_shutdown);
    settle();
    server = sys.spawn(actors::child_server, std::move(e), std::move(o));
  }
  actors::child_server_options options() {
    actors::child_server_options o;
    o.connect = servers.factory();
    o.jitter_seed = 1;
    return o;
  }
  msg::tool_call make_call(std::string tool, bool wants_progress = false) {
    return {{1, ++last_call}, "kid", std::move(tool), msg::document{json::object{}}, wants_progress};
  }
  pending<call_result> call(std::string tool, uint64_t run = 1) {
    auto made = make_call(std::move(tool));
    made.key.run = run;
    auto p = send<call_result>(server, msg::call_atom::value, std::move(made));
    settle();
    return p;
  }
  void finish_handshake(std::vector<std::string> tools = {"echo"}) {
    for (int i = 0; i < 3; ++i) {
      fake_servers::answer_handshake(servers.last(), tools);
      settle();
    }
  }
  void start() {
    auto tools = send<tools_result>(server, msg::tools_atom::value);
    settle();
    finish_handshake();
    ASSERT_TRUE(tools.get().ok()) << tools.get().error.message;
  }
  void list_again(std::string_view tools) {
    servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
    settle();
    advance(msg::limits::child_list_debounce);
    servers.last().answer(servers.last().take("tools/list").at(0), json::object{{"tools", json::parse(tools)}});
    settle();
  }
  void die() {
    servers.last().end({msg::errc::server_died, "ended with exit code 3"});
    settle();
  }
  msg::server_status status() { return ask<msg::server_status>(server, msg::status_atom::value); }
};

} // namespace testing_support
