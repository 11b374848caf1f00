#include "mcp/http_door.hpp"

#include "testing/values.hpp"

#include <gtest/gtest.h>

namespace mcp_http_door_test {

using test::value;

class http_door_test : public testing::Test {
protected:
  static http::request_head post(http::headers more = {}) {
    http::request_head out{"POST", "/mcp", {}, {}, 1};
    out.fields = {{"host", "127.0.0.1:3333"},
                  {"content-type", "application/json"},
                  {"accept", "application/json, text/event-stream"}};
    for (auto& field : more)
      set(out, field.name, field.value);
    return out;
  }
  static void set(http::request_head& head, const std::string& name, const std::string& to) {
    std::erase_if(head.fields, [&](auto& field) { return field.name == name; });
    head.fields.push_back({name, to});
  }
  static std::string field(const http::headers& fields, std::string_view name) {
    for (auto& each : fields)
      if (each.name == name)
        return each.value;
    return {};
  }
  mcp::http_door door() {
    return mcp::http_door{{bound_, allowed_hosts_, allowed_origins_,
                           [](std::string_view token) { return std::string{token == "secret" ? "laptop" : ""}; },
                           [this] { return wants_token_; }}};
  }
  /// The status of the refusal; 0: it is let in.
  int status(const http::request_head& head) {
    auto refused = door().check(head);
    return refused ? refused->status : 0;
  }
  int status_of_host(const std::string& host) { return status(post({{"host", host}})); }
  int status_of_origin(const std::string& origin) { return status(post({{"origin", origin}})); }

  std::string bound_ = "127.0.0.1";
  std::vector<std::string> allowed_hosts_, allowed_origins_;
  bool wants_token_ = false;
};

TEST_F(http_door_test, lets_in_what_a_client_sends) {
  EXPECT_EQ(status(post()), 0);
  auto get = post();
  get.method = "GET";
  EXPECT_EQ(status(get), 0);
  get.method = "DELETE";
  EXPECT_EQ(status(get), 0);
}

// ---- names -------------------------------------------------------------------------------------

TEST_F(http_door_test, is_reached_by_its_own_names) {
  for (auto* host : {"127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:3333", "[::1]", "[::1]:3333"})
    EXPECT_EQ(status_of_host(host), 0) << host;
}

TEST_F(http_door_test, is_not_reached_by_names_that_lead_here) {
  for (auto* host : {"evil.com", "localhost.evil.com", "localhost.evil.com:3333", "127.0.0.1.evil.com", "evil.com:3333",
                     "evillocalhost", "localhost@evil.com", "[::1].evil.com", "", ":3333", "localhost."})
    EXPECT_EQ(status_of_host(host), 403) << host;
}

TEST_F(http_door_test, names_can_be_allowed) {
  allowed_hosts_ = {"App.Example.com"};
  EXPECT_EQ(status_of_host("app.example.COM:3333"), 0);
  EXPECT_EQ(status_of_host("app.example.com"), 0);
  EXPECT_EQ(status_of_host("other.example.com"), 403);
  EXPECT_EQ(status_of_host("app.example.com.evil.com"), 403);
}

TEST_F(http_door_test, a_refusal_is_an_error_that_says_what_to_do) {
  auto refused = door().check(post({{"host", "evil.com\x01"}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->type, "application/json");
  auto body = value(refused->body);
  EXPECT_EQ(body.at("jsonrpc"), "2.0");
  EXPECT_TRUE(body.at("id").is_null());
  EXPECT_EQ(body.at("error").at("code"), -32600);
  EXPECT_NE(body.at("error").at("message").as_string().find("server.allowedHosts"), std::string_view::npos);
}

// ---- pages -------------------------------------------------------------------------------------

TEST_F(http_door_test, pages_of_this_machine_may_come) {
  for (auto* origin : {"http://localhost", "http://localhost:6274", "https://localhost:8443", "http://127.0.0.1:80",
                       "HTTP://LOCALHOST:1", "http://[::1]", "http://[::1]:3000", "https://127.0.0.1"})
    EXPECT_EQ(status_of_origin(origin), 0) << origin;
}

TEST_F(http_door_test, other_pages_may_not) {
  for (auto* origin : {"",
                       "null",
                       "http://evil.com",
                       "http://localhost.evil.com",
                       "http://localhost.evil.com:80",
                       "http://127.0.0.1.evil.com",
                       "http://[::1].evil.com",
                       "http://evil.com:127",
                       "localhost",
                       "http://",
                       "ftp://localhost",
                       "file://",
                       "http://user@localhost",
                       "http://localhost@evil.com",
                       "http://localhost/",
                       "http://evil.com/http://localhost",
                       "chrome-extension://localhost",
                       "http://localhost evil.com",
                       "http://::1",
                       "//localhost"})
    EXPECT_EQ(status_of_origin(origin), 403) << origin;
}

TEST_F(http_door_test, what_follows_the_colon_of_a_page_is_a_port) {
  for (auto* origin : {"http://localhost:80.evil.com", "http://localhost:@evil.com", "http://[::1]:.evil.com"})
    EXPECT_EQ(status_of_origin(origin), 403) << origin;
}

TEST_F(http_door_test, pages_can_be_allowed) {
  allowed_origins_ = {"https://App.example.com", "vscode-webview://x"};
  EXPECT_EQ(status_of_origin("https://app.example.com"), 0);
  EXPECT_EQ(status_of_origin("vscode-webview://x"), 0);
  for (auto* origin : {"http://app.example.com", "https://app.example.com:8443", "https://app.example.com.evil.com"})
    EXPECT_EQ(status_of_origin(origin), 403) << origin;
}

TEST_F(http_door_test, a_page_that_may_come_may_read_the_answers) {
  auto fields = door().fields_for(post({{"origin", "http://localhost:6274"}}));
  EXPECT_EQ(field(fields, "Access-Control-Allow-Origin"), "http://localhost:6274");
  EXPECT_EQ(field(fields, "Access-Control-Expose-Headers"), "Mcp-Session-Id, WWW-Authenticate");
  EXPECT_EQ(field(fields, "Vary"), "Origin");
  EXPECT_TRUE(door().fields_for(post()).empty());
  EXPECT_TRUE(door().fields_for(post({{"origin", "http://evil.com"}})).empty());
}

TEST_F(http_door_test, a_page_asks_before_it_sends) {
  wants_token_ = true;
  auto head = post({{"origin", "http://localhost:1"}, {"access-control-request-method", "POST"}});
  head.method = "OPTIONS";
  auto answer = door().check(head);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(field(answer->fields, "Access-Control-Allow-Origin"), "http://localhost:1");
  for (auto* method : {"GET", "POST", "DELETE"})
    EXPECT_NE(field(answer->fields, "Access-Control-Allow-Methods").find(method), std::string::npos);
  for (auto* name : {"Content-Type", "Authorization", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method",
                     "Mcp-Name", "Last-Event-ID"})
    EXPECT_NE(field(answer->fields, "Access-Control-Allow-Headers").find(name), std::string::npos) << name;
  set(head, "origin", "http://evil.com");
  EXPECT_EQ(status(head), 403);
}

// ---- tokens ------------------------------------------------------------------------------------

TEST_F(http_door_test, without_a_token_nobody_comes_in_where_one_is_wanted) {
  wants_token_ = true;
  auto refused = door().check(post({{"origin", "http://localhost"}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(field(refused->fields, "WWW-Authenticate"), R"(Bearer realm="code-executor")");
  EXPECT_EQ(field(refused->fields, "Access-Control-Allow-Origin"), "http://localhost");
  EXPECT_NE(refused->body.find("token new"), std::string::npos);
}

TEST_F(http_door_test, a_wrong_token_is_told_apart_from_none) {
  wants_token_ = true;
  for (auto* sent :
       {"Bearer wrong", "Bearer secret2", "Bearer ", "Bearer", "secret", "Basic secret", "Bearer, secret"}) {
    auto refused = door().check(post({{"authorization", sent}}));
    ASSERT_TRUE(refused) << sent;
    EXPECT_EQ(refused->status, 401) << sent;
    EXPECT_EQ(field(refused->fields, "WWW-Authenticate"),
              R"(Bearer realm="code-executor", error="invalid_token", )"
              R"(error_description="the token is not known, or was revoked")")
      << sent;
    EXPECT_EQ(refused->body.find("secret"), std::string::npos) << "a token is not repeated";
  }
}

TEST_F(http_door_test, a_known_token_opens) {
  wants_token_ = true;
  for (auto* sent : {"Bearer secret", "bearer secret", "BEARER   secret"}) {
    EXPECT_EQ(status(post({{"authorization", sent}})), 0) << sent;
    EXPECT_EQ(door().name_of(post({{"authorization", sent}})), "laptop") << sent;
  }
  EXPECT_EQ(door().name_of(post()), "");
  EXPECT_EQ(door().name_of(post({{"authorization", "Basic secret"}})), "");
}

TEST_F(http_door_test, a_token_does_not_help_a_page_that_may_not_come) {
  wants_token_ = true;
  EXPECT_EQ(status(post({{"authorization", "Bearer secret"}, {"origin", "http://evil.com"}})), 403);
  EXPECT_EQ(status(post({{"authorization", "Bearer secret"}, {"host", "evil.com"}})), 403);
}

TEST_F(http_door_test, who_asks_is_said_once) {
  for (auto* name : {"origin", "authorization"}) {
    auto head = post({{"origin", "http://localhost"}, {"authorization", "Bearer secret"}});
    EXPECT_EQ(status(head), 0);
    head.fields.push_back({name, name == std::string_view{"origin"} ? "http://evil.com" : "Bearer other"});
    EXPECT_EQ(status(head), 400) << name;
  }
}

// ---- logins ------------------------------------------------------------------------------------

/// Clients look for one whenever they hear 401, and show what they are told there.
TEST_F(http_door_test, who_looks_for_a_login_is_told_that_there_is_none) {
  wants_token_ = true;
  for (auto* path : {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
                     "/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
                     "/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp",
                     "/mcp/.well-known/openid-configuration", "/register", "/authorize", "/token"})
    for (auto* method : {"GET", "POST"}) {
      auto head = post({{"origin", "http://localhost:1"}});
      head.path = path;
      head.method = method;
      auto answer = door().check(head);
      ASSERT_TRUE(answer) << path;
      EXPECT_EQ(answer->status, 404) << path;
      EXPECT_EQ(field(answer->fields, "Access-Control-Allow-Origin"), "http://localhost:1");
      auto body = value(answer->body);
      EXPECT_EQ(body.at("error"), "invalid_request") << path;
      EXPECT_EQ(body.at("error_description"),
                "this server has no OAuth login: it wants the header Authorization: Bearer TOKEN; "
                "`code-executor token new NAME` prints one")
        << path;
    }
}

TEST_F(http_door_test, where_no_token_is_wanted_nobody_is_told_to_make_one) {
  auto head = post();
  head.path = "/register";
  auto answer = door().check(head);
  ASSERT_TRUE(answer);
  EXPECT_EQ(value(answer->body).at("error_description"), "this server has no OAuth login, and wants no token");
}

TEST_F(http_door_test, a_page_may_ask_for_a_login) {
  auto head = post({{"origin", "http://localhost:1"}, {"access-control-request-method", "POST"}});
  head.path = "/register";
  head.method = "OPTIONS";
  EXPECT_EQ(status(head), 204);
  set(head, "origin", "http://evil.com");
  EXPECT_EQ(status(head), 403);
}

// ---- requests ----------------------------------------------------------------------------------

TEST_F(http_door_test, there_is_one_place_for_messages) {
  for (auto* path : {"/", "/mcp/", "/MCP", "/sse", "/mcp/../mcp", ""}) {
    auto head = post();
    head.path = path;
    EXPECT_EQ(status(head), 404) << path;
  }
}

TEST_F(http_door_test, other_methods_are_told_which_there_are) {
  for (auto* method : {"PUT", "PATCH", "HEAD", "TRACE", "post"}) {
    auto head = post();
    head.method = method;
    auto refused = door().check(head);
    ASSERT_TRUE(refused) << method;
    EXPECT_EQ(refused->status, 405) << method;
    EXPECT_EQ(field(refused->fields, "Allow"), "GET, POST, DELETE, OPTIONS");
  }
}

TEST_F(http_door_test, a_message_has_to_be_json_and_its_sender_take_both_forms) {
  EXPECT_EQ(status(post({{"content-type", "text/plain"}})), 415);
  EXPECT_EQ(status(post({{"accept", "application/json"}})), 406);
  EXPECT_EQ(status(post({{"accept", "text/event-stream"}})), 406);
  auto get = post({{"accept", "application/json"}});
  get.method = "GET";
  EXPECT_EQ(status(get), 406);
  get.method = "DELETE";
  EXPECT_EQ(status(get), 0);
}

} // namespace mcp_http_door_test
