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
    {"ACCEPT", "a"}, {"content-Type", "b"}, {"Mcp-Session-Id", "c"}, {"Content-Length", "5"}, {"X", "y"}};
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

TEST_F(http_launch_test, nothing_is_made_without_the_user_s_word) {
  entry_.trust = msg::trust_level::unapproved;
  EXPECT_EQ(make().error.code, msg::errc::needs_approval);
}

} // namespace config_http_launch_test
