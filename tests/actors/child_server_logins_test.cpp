// A server that has refused a run: its client is asked to log in there.
#include "tests/actors/child_server_fixture.hpp"

#include <caf/all.hpp>

namespace testing_support {

class child_server_logins : public child_server_test {
protected:
  using answer = msg::outcome<msg::document>;

  child_server_logins() { serve_over_http(true); }
  ~child_server_logins() override {
    self->send_exit(run, caf::exit_reason::user_shutdown);
    run = nullptr;
    settle();
  }
  void serve_over_http(bool may_log_in) {
    auto o = options();
    if (may_log_in)
      o.log_in = [this](const msg::server_entry&, child::login_events of_login) -> std::function<void()> {
        begun.push_back(std::move(of_login));
        return [this] { ++stopped; };
      };
    auto e = entry("kid");
    e.transport = msg::transport_kind::automatic;
    serve(std::move(e), std::move(o));
  }
  /// A run of client 3.
  msg::progress_listener spawn_run() {
    return sys.spawn([this](msg::progress_listener::pointer me) -> msg::progress_listener::behavior_type {
      return {
        [this, me](msg::progress_atom, const msg::tool_progress&) { // the test's word for: ask for a login
          me->request(server, caf::infinite, msg::login_atom::value, msg::login_request{7, "kid", {3, {}}})
            .then([this](const msg::outcome<bool>& is_there) { heard = is_there; },
                  [this](caf::error&) {
                    heard = msg::fault{msg::errc::internal, "no answer"};
                  });
        },
        [](msg::injected_atom, const msg::injected_fault&) {},
        [this, me](msg::question_atom, const msg::server_question& question) -> caf::result<answer> {
          asked.push_back(question);
          return me->make_response_promise<answer>();
        },
        [](msg::question_atom, msg::call_key, uint64_t) {},
        [](msg::log_atom, const msg::server_log&) {},
        [](msg::meant_atom, msg::call_key, const msg::tool_info&) {},
      };
    });
  }
  void want_login() {
    self->send(run, msg::progress_atom::value, msg::tool_progress{});
    settle();
  }
  void refuse_login() {
    servers.last().end({msg::errc::needs_login, "wants a login"});
    settle();
  }

  std::vector<child::login_events> begun;
  int stopped = 0;
  std::vector<msg::server_question> asked;
  std::optional<msg::outcome<bool>> heard;
  msg::progress_listener run = spawn_run();
};

TEST_F(child_server_logins, is_asked_for_and_the_server_is_begun_anew_at_once) {
  auto refused = call("echo");
  refuse_login();
  EXPECT_EQ(refused.get().error.code, msg::errc::needs_login);
  EXPECT_EQ(call("echo").get().error.code, msg::errc::needs_login) << "a moment later";
  EXPECT_EQ(servers.connections.size(), 1u);
  want_login();
  ASSERT_EQ(begun.size(), 1u);
  EXPECT_TRUE(asked.empty());
  begun[0].page({"https://a/authorize", "Log in"});
  settle();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].kind, msg::question_kind::login);
  EXPECT_EQ(asked[0].call.run, 7u);
  begun[0].ended({});
  settle();
  ASSERT_TRUE(heard);
  EXPECT_TRUE(heard->ok());
  auto again = call("echo");
  EXPECT_EQ(servers.connections.size(), 2u);
  finish_handshake();
  EXPECT_EQ(servers.last().take("tools/call").size(), 1u);
}

TEST_F(child_server_logins, one_that_runs_is_connected_to_anew_unless_it_has_calls) {
  start();
  want_login();
  auto open = call("echo");
  begun[0].ended({});
  settle();
  EXPECT_EQ(status().state, msg::server_state::ready);
  servers.last().answer(servers.last().take("tools/call").at(0), json::object{{"content", json::array{}}});
  settle();
  want_login();
  begun[1].ended({});
  settle();
  EXPECT_EQ(status().state, msg::server_state::stopping);
  auto next = call("echo");
  servers.last().end({msg::errc::server_died, "ended"});
  settle();
  EXPECT_EQ(servers.connections.size(), 2u) << "the call has waited for it";
}

TEST_F(child_server_logins, ends_with_the_server) {
  want_login();
  auto done = send<bool>(server, msg::stop_atom::value);
  settle();
  EXPECT_EQ(heard.value().error.code, msg::errc::shutting_down);
  EXPECT_EQ(stopped, 1);
  EXPECT_TRUE(done.get());
  heard.reset();
  want_login();
  self->send_exit(server, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(heard.has_value());
}

TEST_F(child_server_logins, nobody_is_asked_where_that_can_not_be) {
  serve_over_http(false);
  want_login();
  EXPECT_EQ(heard.value().error.code, msg::errc::not_allowed);
  EXPECT_EQ(heard.value().error.message, "");
}

} // namespace testing_support
