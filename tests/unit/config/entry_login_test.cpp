#include "config/entry_login.hpp"

#include "config/server_list.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace config_entry_login_test {

using strings = std::vector<std::string>;

class entry_login_test : public testing::Test {
protected:
  entry_login_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
  }
  /// Of an entry with these fields besides its address.
  msg::login_settings read(const std::string& fields) {
    folder_.write("project/.mcp.json", R"({"mcpServers":{"s":{"url":"https://h/mcp",)" + fields + "}}}");
    list_ = config::load_servers(env_, "/nowhere/code-executor");
    return list_.entries.empty() ? msg::login_settings{} : list_.entries[0].login;
  }

  test::folder folder_;
  config::environment env_;
  config::server_list list_;
};

TEST_F(entry_login_test, is_read_in_the_words_of_the_clients) {
  auto ours =
    read(R"("oauth":{"clientId":"i","clientSecret":"${S}","scopes":["a","b c"],"clientMetadataUrl":"https://d/"})");
  EXPECT_EQ(ours.client_id, "i");
  EXPECT_EQ(ours.client_secret, "${S}");
  EXPECT_EQ(ours.scopes, (strings{"a", "b", "c"}));
  EXPECT_EQ(ours.metadata_url, "https://d/");
  EXPECT_FALSE(ours.is_for_machines || ours.is_off);
  EXPECT_EQ(read(R"("oauth":{"client_id":"i","scope":" a  b "})").scopes, (strings{"a", "b"}));
  EXPECT_EQ(read(R"("auth":{"CLIENT_ID":"i","CLIENT_SECRET":"s"})").client_secret, "s");
  EXPECT_TRUE(read(R"("oauth":false)").is_off);
  EXPECT_TRUE(read(R"("oauth":{"enabled":false})").is_off);
  EXPECT_FALSE(read(R"("oauth":true)").is_off);
  EXPECT_EQ(read(R"("auth":"x")"), msg::login_settings{}) << "which means other things elsewhere";
  EXPECT_TRUE(list_.problems.empty());
}

TEST_F(entry_login_test, of_a_machine_needs_what_proves_it) {
  EXPECT_TRUE(read(R"("oauth":{"clientId":"i","clientSecret":"s","grantType":"client_credentials"})").is_for_machines);
  EXPECT_TRUE(list_.problems.empty());
  read(R"("oauth":{"clientId":"i","grantType":"client_credentials"})");
  ASSERT_EQ(list_.problems.size(), 1u);
  EXPECT_NE(list_.problems[0].find("needs 'clientId' and 'clientSecret'"), std::string::npos) << list_.problems[0];
}

TEST_F(entry_login_test, what_is_wrong_is_told_without_its_value) {
  auto long_secret = R"("oauth":{"clientSecret":"s3cr3t)" + std::string(5'000, 'x') + "\"}";
  for (std::string fields : {R"("oauth":7)", R"("oauth":{"clientId":7})", R"("oauth":{"clientSecret":"s3cr3t\n"})",
                             R"("oauth":{"scopes":[7]})", R"("oauth":{"grantType":"password"})", long_secret.c_str()}) {
    read(fields);
    ASSERT_EQ(list_.problems.size(), 1u) << fields;
    EXPECT_NE(list_.problems[0].find("oauth"), std::string::npos) << list_.problems[0];
    EXPECT_EQ(list_.problems[0].find("s3cr3t"), std::string::npos) << list_.problems[0];
  }
}

} // namespace config_entry_login_test
