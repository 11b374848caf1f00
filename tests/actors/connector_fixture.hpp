// The connector with servers that live in the test.
#pragma once

#include "actors/connector.hpp"
#include "actors/rate_limiter.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_catalog.hpp"
#include "tests/actors/fake_server.hpp"

namespace testing_support {

using tool_result = msg::outcome<msg::tool_info>;
using search_result = msg::outcome<msg::tool_matches>;

inline msg::tool_request wanted_call(msg::call_key key, std::string server, std::string tool = "echo") {
  return {key, {"", std::move(server), std::move(tool)}, {}, msg::document{json::object{}}};
}

struct connector_test : deterministic {
  fake_servers servers;
  test::folder state;
  msg::catalog_actor catalog;
  msg::rate_limiter_actor limiter;
  msg::connector_actor connector;

  void begin(std::vector<std::string> names, std::vector<std::string> at_start = {}) {
    actors::connector_options o;
    for (auto& n : names)
      o.servers.push_back(entry(n));
    begin_with(std::move(o), std::move(at_start));
  }
  void begin_with(actors::connector_options o, std::vector<std::string> at_start = {}) {
    catalog = sys.spawn(actors::catalog, catalog_at_once(o.servers, state.path(), o.policy));
    o.catalog = catalog;
    o.connect_at_start = std::move(at_start);
    o.connect = servers.factory();
    o.limiter = limiter = sys.spawn(actors::rate_limiter);
    connector = sys.spawn(actors::connector, std::move(o));
    settle();
  }
  ~connector_test() override { end(); }
  void end() {
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    self->send_exit(catalog, caf::exit_reason::user_shutdown);
    self->send_exit(limiter, caf::exit_reason::user_shutdown);
    connector = nullptr;
    limiter = nullptr;
    catalog = nullptr;
    settle();
    servers.connections.clear();
  }
  /// The program ends and starts again with these.
  void restart(std::vector<std::string> names) {
    end();
    begin(std::move(names));
  }
  static std::vector<std::string> names_of(const search_result& found) {
    std::vector<std::string> out;
    for (auto& t : found.value.tools)
      out.push_back(t.server + "." + t.name);
    return out;
  }
  void finish_handshakes(std::vector<std::string> tools = {"echo", "read-file"}) {
    for (int i = 0; i < 3; ++i) {
      for (auto& c : servers.connections)
        fake_servers::answer_handshake(*c, tools);
      settle();
    }
  }
  pending<tool_result> resolve(msg::tool_ref ref, msg::tool_filter allowed = {}) {
    auto p = send<tool_result>(connector, msg::describe_atom::value, std::move(ref), std::move(allowed));
    settle();
    return p;
  }
  pending<search_result> search(std::string text, std::string server = {}) {
    msg::tool_query q;
    q.text = std::move(text);
    q.server = std::move(server);
    auto p = send<search_result>(connector, msg::search_atom::value, std::move(q));
    settle();
    return p;
  }
};

} // namespace testing_support
