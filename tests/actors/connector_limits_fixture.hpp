// A connector whose servers take places.
#pragma once

#include "tests/actors/connector_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::errc;
using call_result = msg::outcome<msg::tool_result>;

struct connector_limits : connector_test {
  uint64_t last_call = 0;

  actors::connector_options options(std::vector<std::string> names) {
    actors::connector_options o;
    for (auto& n : names)
      o.servers.push_back(entry(n));
    return o;
  }
  pending<call_result> call(std::string server) {
    auto p = send<call_result>(connector, msg::call_atom::value, wanted_call({1, ++last_call}, std::move(server)));
    settle();
    return p;
  }
  fake_connection* running(const std::string& server) {
    for (auto& c : servers.connections)
      if (c->server == server && !c->gone)
        return c.get();
    return nullptr;
  }
  size_t running_count() {
    return static_cast<size_t>(
      std::count_if(servers.connections.begin(), servers.connections.end(), [](auto& c) { return !c->gone; }));
  }
  void answer_all() {
    finish_handshakes({"echo"});
    for (auto& c : servers.connections)
      for (auto& request : c->take("tools/call"))
        c->answer(request, text_result("ok"));
    settle();
  }
  void let_stopped_end() {
    for (auto& c : servers.connections)
      if (c->stopped)
        c->end({errc::server_died, "was told to"});
    settle();
  }
};
