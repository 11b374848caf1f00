#include "config/http_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace config_http_launch_test {

using pairs = std::vector<std::pair<std::string, std::string>>;

class http_launch_test : public testing::Test {
protected:
  http_launch_test() {
    entry_.name = "far";
    entry_.url = "https://x.example/mcp";
    entry_.source = "/c.json";
    entry_.transport = msg::transport_kind::streamable_http;
  }
  msg::outcome<config::http_launch> make() {
    config::variable_lookup lookup = [this](std::string_view name) {
      auto found = variables_.find(std::string{name});
      return found == variables_.end() ? std::string{} : found->second;
    };
    return config::make_http_launch(entry_, env_, lookup);
  }
  bool is_secret(const config::http_launch& launch, std::string_view text) {
    return std::find(launch.secrets.begin(), launch.secrets.end(), text) != launch.secrets.end();
  }

  config::environment env_;
  msg::server_entry entry_;
  std::map<std::string, std::string> variables_{{"HOST", "y.example"}, {"MY_TOKEN", "t0ken-of-mine"}};
};

TEST_F(http_launch_test, variables_are_replaced_and_secrets_known) {
  entry_.url = "HTTPS://${HOST}/mcp?api_key=k3y-of-mine";
  entry_.headers = {{"Authorization", "Bearer ${MY_TOKEN}"}, {"X-Team", "a"}};
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.error.message;
  EXPECT_EQ(made.value.url, "https://y.example/mcp?api_key=k3y-of-mine");
  EXPECT_EQ(made.value.headers, (pairs{{"Authorization", "Bearer t0ken-of-mine"}, {"X-Team", "a"}}));
  EXPECT_TRUE(is_secret(made.value, "t0ken-of-mine"));
  EXPECT_TRUE(is_secret(made.value, "k3y-of-mine"));
}

TEST_F(http_launch_test, headers_may_be_variables_of_ours) {
  entry_.header_names = {{"X-Key", "MY_TOKEN"}, {"X-None", "UNSET"}};
  entry_.bearer_name = "MY_TOKEN";
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.error.message;
  EXPECT_EQ(made.value.headers, (pairs{{"X-Key", "t0ken-of-mine"}, {"Authorization", "Bearer t0ken-of-mine"}}));
  EXPECT_TRUE(is_secret(made.value, "t0ken-of-mine"));
  entry_.bearer_name = "UNSET";
  EXPECT_EQ(make().value.headers.size(), 1u);
}

TEST_F(http_launch_test, what_the_protocol_says_is_not_the_entry_s) {
  entry_.headers = {
    {"ACCEPT", "a"}, {"content-Type", "b"}, {"Mcp-Session-Id", "c"}, {"Accept-Encoding", "gzip"}, {"X", "y"}};
  EXPECT_EQ(make().value.headers, (pairs{{"X", "y"}}));
}

TEST_F(http_launch_test, what_can_not_be_reached_or_sent_is_told) {
  for (auto* url :
       {"ftp://x/", "x.example", "", "file:///etc/passwd", "https://x y/", "https://x/\n", "javascript:1"}) {
    entry_.url = url;
    EXPECT_EQ(make().error.code, msg::errc::server_start_failed) << url;
  }
  entry_.url = "https://x/";
  entry_.headers = {{"X", "a\r\nY: b"}};
  auto made = make();
  EXPECT_EQ(made.error.code, msg::errc::server_start_failed);
  EXPECT_NE(made.error.message.find("its header X"), std::string::npos) << made.error.message;
  EXPECT_NE(made.error.message.find("/c.json"), std::string::npos) << made.error.message;
}

TEST_F(http_launch_test, names_of_headers_are_looked_at_too) {
  for (auto* name : {"X Y", "", "X:", "X\r\nY"}) {
    entry_.headers = {{name, "a"}};
    EXPECT_EQ(make().error.code, msg::errc::server_start_failed) << name;
  }
}

TEST_F(http_launch_test, headers_that_make_another_request_of_it_are_refused) {
  for (auto* name : {"Host", "EXPECT", "content-length", "Transfer-Encoding", "Connection"}) {
    entry_.headers = {{name, "a"}};
    auto made = make();
    EXPECT_EQ(made.error.code, msg::errc::server_start_failed) << name;
    EXPECT_NE(made.error.message.find(std::string{"its header "} + name + " can not be set"), std::string::npos)
      << made.error.message;
  }
}

TEST_F(http_launch_test, variables_that_are_not_set_are_told) {
  entry_.url = "https://x/${NO_PATH}";
  entry_.headers = {{"Authorization", "Bearer ${NO_TOKEN}"}, {"X-Price", "$5"}, {"X-Other", "${NO_TOKEN:-a}"}};
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.error.message;
  ASSERT_EQ(made.value.unset.size(), 2u);
  EXPECT_NE(made.value.unset[0].find("its `url`"), std::string::npos);
  EXPECT_NE(made.value.unset[0].find("NO_PATH"), std::string::npos);
  EXPECT_NE(made.value.unset[1].find("its header Authorization"), std::string::npos);
  EXPECT_NE(made.value.unset[1].find("NO_TOKEN"), std::string::npos);
  EXPECT_EQ(made.value.headers[0].second, "Bearer ${NO_TOKEN}") << "as Claude Code sends it";
}

TEST_F(http_launch_test, what_proxies_are_told_is_secret) {
  variables_["http_proxy"] = "http://user:pass%40word@proxy:3128";
  variables_["ALL_PROXY"] = "no-scheme:t1ny-pass@proxy";
  variables_["HTTPS_PROXY"] = "http://proxy:3128";
  auto made = make();
  ASSERT_TRUE(made.ok());
  for (auto* text : {"http://user:pass%40word@proxy:3128", "user:pass%40word", "pass%40word", "pass@word",
                     "dXNlcjpwYXNzQHdvcmQ=", "t1ny-pass"})
    EXPECT_TRUE(is_secret(made.value, text)) << text;
  EXPECT_FALSE(is_secret(made.value, "http://proxy:3128"));
}

TEST_F(http_launch_test, nothing_is_made_without_the_user_s_word) {
  entry_.trust = msg::trust_level::unapproved;
  EXPECT_EQ(make().error.code, msg::errc::needs_approval);
}

} // namespace config_http_launch_test
