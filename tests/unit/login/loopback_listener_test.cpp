#include "login/loopback_listener.hpp"
#include "subprojects/http/tests/client_fixture.hpp"

#include <optional>

namespace loopback_listener_test {

using namespace std::literals;
using asio::ip::tcp;

struct loopback_listener_test : http::testing::client_fixture {
  std::unique_ptr<login::loopback_listener> listener;
  std::optional<login::callback> came;

  void SetUp() override {
    auto opened = login::loopback_listener::open(io.get_executor(), 0);
    ASSERT_TRUE(opened.ok()) << opened.error.message;
    listener = std::move(opened.value);
  }
  void wait(std::chrono::milliseconds patience = 20s) {
    oauth::authorization_expectation expected;
    expected.state = "the-state";
    expected.issuer = "https://i.example";
    asio::co_spawn(io, listener->wait(std::move(expected), patience),
                   [this](const std::exception_ptr&, login::callback got) { came = std::move(got); });
  }
  http::client_result get(const std::string& rest, http::headers fields = {}) {
    http::client_request request;
    request.url = origin() + rest;
    request.fields = std::move(fields);
    return ask(std::move(request));
  }
  std::string origin() { return listener->redirect_uri().substr(0, listener->redirect_uri().rfind('/')); }
  /// Opens a connection and says that.
  tcp::socket say(const std::string& text) {
    tcp::socket out{io};
    out.connect({asio::ip::make_address("127.0.0.1"), login::port_of(listener->redirect_uri())});
    asio::write(out, asio::buffer(text));
    return out;
  }
};

TEST_F(loopback_listener_test, takes_one_answer) {
  wait();
  auto page = get("/callback?code=the-code&state=the-state");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(http::find_header(page.fields, "cache-control"), "no-store");
  EXPECT_EQ(page.body.find("the-code"), std::string::npos);
  run_until([&] { return came.has_value(); });
  EXPECT_TRUE(came->has_come);
  EXPECT_EQ(came->answer.code, "the-code");
  EXPECT_FALSE(get("/callback?code=other&state=the-state").ok()) << "it is closed";
}

TEST_F(loopback_listener_test, passes_over_what_is_no_answer) {
  wait();
  for (auto* rest : {"/", "/favicon.ico", "/callbackx?code=c&state=the-state", "/x/callback?code=c&state=the-state"})
    EXPECT_EQ(get(rest).status, 404) << rest;
  for (auto* rest :
       {"/callback", "/callback?code=c", "/callback?code=c&state=other", "/callback?state=the-state&state=x"})
    EXPECT_EQ(get(rest).status, 400) << rest;
  EXPECT_EQ(get("/callback?code=c&state=the-state", {{"Host", "evil.example"}}).status, 404);
  http::client_request post;
  post.method = "POST";
  post.url = origin() + "/callback?code=c&state=the-state";
  EXPECT_EQ(ask(post).status, 404);
  EXPECT_FALSE(came);
  EXPECT_EQ(get("/callback?code=c&state=the-state").status, 200);
  run_until([&] { return came.has_value(); });
}

TEST_F(loopback_listener_test, is_not_held_up_by_who_is_silent) {
  wait();
  std::vector<tcp::socket> silent;
  for (size_t i = 0; i < 3 * login::callback_connections_max; ++i) {
    silent.push_back(say(i % 2 ? "GET /call" : ""));
    run_for(1ms);
  }
  EXPECT_EQ(get("/callback?code=c&state=the-state").status, 200);
  run_until([&] { return came.has_value(); });
  EXPECT_EQ(came->answer.code, "c");
}

TEST_F(loopback_listener_test, drops_a_head_that_is_too_long) {
  wait();
  auto talker =
    say("GET /callback?code=c&state=the-state HTTP/1.1\r\nX: " + std::string(login::callback_head_bytes_max, 'x'));
  run_for(200ms);
  EXPECT_FALSE(came);
  EXPECT_EQ(get("/callback?code=c&state=the-state").status, 200);
}

TEST_F(loopback_listener_test, shows_an_error_harmlessly) {
  wait();
  auto page = get("/callback?error=denied&error_description=%3Cscript%3E&state=the-state");
  EXPECT_EQ(page.body.find("<script>"), std::string::npos);
  EXPECT_NE(page.body.find("&lt;script&gt;"), std::string::npos) << page.body;
  run_until([&] { return came.has_value(); });
  EXPECT_EQ(came->answer.code, "");
  EXPECT_NE(came->answer.problem.find("denied"), std::string::npos);
}

TEST_F(loopback_listener_test, does_not_wait_for_ever) {
  wait(50ms);
  run_until([&] { return came.has_value(); });
  EXPECT_FALSE(came->has_come);
}

TEST_F(loopback_listener_test, may_go_while_it_waits) {
  wait();
  auto talker = say("GET /");
  run_for(20ms);
  listener.reset();
  run_until([&] { return came.has_value(); });
  EXPECT_FALSE(came->has_come);
}

TEST_F(loopback_listener_test, has_the_wished_port_if_it_is_free) {
  auto port = login::port_of(listener->redirect_uri());
  auto other = login::loopback_listener::open(io.get_executor(), port);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(login::port_of(other.value->redirect_uri()), port) << "taken";
  listener.reset();
  auto again = login::loopback_listener::open(io.get_executor(), port);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(login::port_of(again.value->redirect_uri()), port);
}

} // namespace loopback_listener_test
