// What a server tells of its own secrets: in errors they are hidden, data stays as it is.
#include "tests/actors/child_server_fixture.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <sstream>

using namespace testing_support;
using msg::errc;

struct child_server_secrets : child_server_test {
  static inline const std::string told = "401: key sk-4711-0815 is not valid";
  static inline const std::string shown = "401: key *** is not valid";

  json::object request(std::string_view method) {
    servers.last().secret = "sk-4711-0815";
    return servers.last().take(method).at(0);
  }
  void fail(const json::object& request) {
    servers.last().say(json::object{
      {"jsonrpc", "2.0"}, {"id", request.at("id")}, {"error", {{"code", -32000}, {"message", told}, {"data", told}}}});
    settle();
  }
  /// What is logged meanwhile.
  static std::string log_of(const std::function<void()>& what) {
    std::ostringstream out;
    auto before = spdlog::default_logger();
    auto logger = std::make_shared<spdlog::logger>("log", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
    logger->set_level(spdlog::level::debug);
    spdlog::set_default_logger(logger);
    what();
    spdlog::set_default_logger(before);
    return out.str();
  }
  static bool is_hidden(const std::string& text) {
    return text.find(shown) != text.npos && text.find("sk-") == text.npos;
  }
};

TEST_F(child_server_secrets, are_not_told_of_a_start_that_failed) {
  auto c = call("echo");
  fail(request("initialize"));
  fail(request("server/discover"));
  EXPECT_TRUE(is_hidden(c.get().error.message)) << c.get().error.message;
  EXPECT_TRUE(is_hidden(status().last_error)) << status().last_error;
}

TEST_F(child_server_secrets, are_not_told_of_a_listing_that_failed) {
  auto c = call("echo");
  fake_servers::answer_handshake(servers.last(), {"echo"});
  settle();
  fail(request("tools/list"));
  EXPECT_TRUE(is_hidden(c.get().error.message)) << c.get().error.message;
}

TEST_F(child_server_secrets, are_not_told_of_a_call_that_failed) {
  start();
  auto a = call("echo"), b = call("echo");
  fail(request("tools/call"));
  servers.last().sent.clear();
  EXPECT_TRUE(is_hidden(a.get().error.message)) << a.get().error.message;
}

TEST_F(child_server_secrets, are_not_told_of_an_error_as_result) {
  start();
  auto a = call("echo"), b = call("echo"), c = call("echo");
  servers.last().secret = "sk-4711-0815";
  auto calls = servers.last().take("tools/call");
  auto answer = text_result(told);
  servers.last().answer(calls.at(0), answer);
  answer["isError"] = true;
  servers.last().answer(calls.at(1), answer);
  answer["structuredContent"] = json::object{{"log", std::string(70'000, 'x')}};
  servers.last().answer(calls.at(2), answer);
  settle();
  EXPECT_NE(a.get().value.envelope.text().find(told), std::string::npos) << "data";
  EXPECT_TRUE(is_hidden(b.get().value.envelope.text())) << b.get().value.envelope.text();
  EXPECT_NE(c.get().value.envelope.text().find(told), std::string::npos) << "more than words";
}

TEST_F(child_server_secrets, are_not_told_as_numbers_and_names_nor_beside_such) {
  start();
  auto a = call("echo");
  servers.last().secret = "8675309123\nsk-4711-0815";
  auto answer = text_result(told);
  answer["isError"] = true;
  answer["structuredContent"] = json::object{{"account", 8675309123}, {"of 8675309123", 1}, {"other", 8675309124}};
  servers.last().answer(servers.last().take("tools/call").at(0), answer);
  settle();
  auto text = a.get().value.envelope.text();
  EXPECT_TRUE(is_hidden(text)) << text;
  EXPECT_NE(text.find(R"({"account":"***","of ***":1,"other":8675309124})"), text.npos) << text;
}

TEST_F(child_server_secrets, are_not_told_where_a_text_is_cut) {
  static const std::string key = "sk-4711-0815-q7Lm2Rv5Zp8Wd3Hs6Jf1";
  start();
  for (size_t before : {470u, 480u, 490u}) {
    auto a = call("echo");
    servers.last().secret = key;
    auto text = std::string(before, 'x') + key;
    auto request = servers.last().take("tools/call").at(0);
    servers.last().say(json::object{{"jsonrpc", "2.0"},
                                    {"id", request.at("id")},
                                    {"error", {{"code", -32603}, {"message", "401"}, {"data", {{"stack", text}}}}}});
    settle();
    auto told = a.get().error.message;
    EXPECT_NE(told.find("xxx"), told.npos) << told;
    EXPECT_EQ(told.find("sk-4"), told.npos) << told;
  }
}

TEST_F(child_server_secrets, are_not_told_in_the_log) {
  start();
  auto a = call("echo");
  servers.last().secret = "sk-4711-0815";
  auto logged = log_of([&] {
    servers.last().say(json::object{{"jsonrpc", "2.0"}, {"id", "sk-4711-0815"}, {"result", json::object{}}});
    for (auto* level : {"error", "sk-4711-0815"})
      servers.last().say(
        json::object{{"jsonrpc", "2.0"},
                     {"method", "notifications/message"},
                     {"params", {{"level", level}, {"data", std::string(490, 'x') + "sk-4711-0815"}}}});
    settle();
  });
  EXPECT_NE(logged.find("not open (id \"***\")"), logged.npos) << logged;
  EXPECT_NE(logged.find("xxx"), logged.npos) << logged;
  EXPECT_EQ(logged.find("sk-4"), logged.npos) << logged;
}
