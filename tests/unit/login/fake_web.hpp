// A server and its authorization server on one port of this machine, as far as a test tells what they answer.
#pragma once

#include "subprojects/http/tests/client_fixture.hpp"
#include "tests/unit/support/loop.hpp"

#include "login/account_file.hpp"
#include "login/environment.hpp"
#include "oauth_client/form.hpp"
#include "testing/folder.hpp"

#include <asio/thread_pool.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace login_test {

using http::testing::asked;
using http::testing::peer;

struct fake_web : http::testing::client_fixture {
  test::folder folder;
  asio::thread_pool worker{1};
  login::environment environment;
  login::target target;

  std::map<std::string, std::string> pages; ///< by path; others are not there (404)
  std::string challenge;                    ///< of /mcp
  std::string accepted;                     ///< Authorization that /mcp takes
  std::function<std::pair<int, std::string>(const oauth::form&)> on_token;
  std::vector<oauth::form> token_requests;

  fake_web() {
    environment.executor = io.get_executor();
    environment.worker = worker.get_executor();
    environment.client = std::make_shared<http::client>(io);
    environment.state_folder = folder.path();
    target.name = "x y";
    target.url = url("/mcp");
    serve = [this](peer& with, asked request) { return answer(with, std::move(request)); };
    on_token = [](const oauth::form&) {
      return std::pair{200, std::string{R"({"access_token":"a1","token_type":"Bearer","expires_in":3600})"}};
    };
  }

  std::string issuer() { return url(""); }
  static std::string field(const oauth::form& in, const std::string& name) {
    for (auto& [key, value] : in)
      if (key == name)
        return value;
    return {};
  }

  /// The usual: metadata in the places that are looked at first.
  void be_usual(const std::string& more_of_issuer = "") {
    pages["/.well-known/oauth-protected-resource/mcp"] = R"({"resource":")" + target.url
                                                         + R"(","authorization_servers":[")" + issuer()
                                                         + R"("],"scopes_supported":["read"]})";
    pages["/.well-known/oauth-authorization-server"] = issuer_metadata(more_of_issuer);
    pages["/register"] = R"({"client_id":"registered-1"})";
  }
  std::string issuer_metadata(const std::string& more = "") {
    auto at = [this](const std::string& path) { return "\"" + issuer() + path + "\""; };
    return R"({"issuer":)" + at("") + R"(,"authorization_endpoint":)" + at("/authorize") + R"(,"token_endpoint":)"
           + at("/token") + R"(,"registration_endpoint":)" + at("/register") + R"(,"revocation_endpoint":)"
           + at("/revoke") + R"(,"code_challenge_methods_supported":["S256"])" + more + "}";
  }

  asio::awaitable<void> answer(peer& with, asked request) {
    auto path = request.path();
    std::string body, status = "200 OK";
    if (path == "/mcp" && (accepted.empty() || request.head.find(accepted) == std::string::npos)) {
      auto field = challenge.empty() ? std::string{} : "WWW-Authenticate: " + challenge + "\r\n";
      co_await with.say("HTTP/1.1 401 Unauthorized\r\n" + field + "Content-Length: 0\r\n\r\n");
      co_return;
    }
    if (path == "/token") {
      token_requests.push_back(oauth::read_form(request.body));
      auto made = on_token(token_requests.back());
      if (made.first == 0) {
        with.close();
        co_return;
      }
      status = std::to_string(made.first) + " X";
      body = made.second;
    } else if (auto page = pages.find(path); page != pages.end()) {
      body = page->second;
    } else {
      status = "404 Not Found";
    }
    co_await with.answer(body, status);
  }

  std::vector<std::string> paths_heard() {
    std::vector<std::string> out;
    for (auto& each : heard)
      out.push_back(each.path());
    return out;
  }

  /// As if somebody had logged in before.
  login::account some_account() {
    login::account out;
    out.server = target.name;
    out.url = target.url;
    out.issuer = issuer();
    out.resource = target.url;
    out.token_endpoint = issuer() + "/token";
    out.client.identity.id = "registered-1";
    out.access_token = "a0";
    out.refresh_token = "r0";
    out.expires_s = login::now_s() + 3'600;
    out.renew_s = out.expires_s - 30;
    out.asked_scopes = {"read"};
    return out;
  }
  login::account_file file() { return login::account_file{environment, target.name, target.url}; }
  void store(login::account what) {
    auto lock = test::run(io, file().lock());
    ASSERT_TRUE(lock.ok()) << lock.error.message;
    auto failed = test::run(io, file().write(lock.value, std::move(what)));
    ASSERT_EQ(failed.code, msg::errc::none) << failed.message;
  }
  login::account stored() {
    auto got = test::run(io, file().read());
    EXPECT_TRUE(got.value) << got.problem;
    return got.value.value_or(login::account{});
  }
};

} // namespace login_test
