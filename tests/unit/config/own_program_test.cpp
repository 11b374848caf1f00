#include "config/own_program.hpp"

#include "config/server_list.hpp"
#include "testing/folder.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace config_own_program_test {

using strings = std::vector<std::string>;

TEST(own_endpoint, is_known_by_all_its_names) {
  config::own_endpoint own{"http", {"10.1.2.3", "Tools.example.com", "fd00::1"}, 3333, "/mcp"};
  for (auto* url :
       {"http://127.0.0.1:3333/mcp", "http://localhost:3333/mcp", "HTTP://LocalHost:3333/mcp", "http://[::1]:3333/mcp",
        "http://10.1.2.3:3333/mcp", "http://tools.EXAMPLE.com:3333/mcp", "http://[fd00::1]:3333/mcp",
        "http://localhost:3333/mcp?x=1", "http://localhost:3333/mcp#x", "http://me:secret@localhost:3333/mcp"})
    EXPECT_TRUE(own.is_at(url)) << url;
  for (auto* url : {"http://127.0.0.1:3334/mcp", "https://127.0.0.1:3333/mcp", "http://127.0.0.1:3333/", "",
                    "http://127.0.0.1:3333/mcp/x", "http://example.com:3333/mcp", "http://localhost/mcp", "/mcp",
                    "http://localhost:3333.example.com/mcp", "ftp://localhost:3333/mcp"})
    EXPECT_FALSE(own.is_at(url)) << url;
}

TEST(own_endpoint, may_have_the_port_of_its_scheme) {
  config::own_endpoint own{"https", {"tools.example.com"}, 443, "/mcp"};
  EXPECT_TRUE(own.is_at("https://tools.example.com/mcp"));
  EXPECT_TRUE(own.is_at("https://tools.example.com:443/mcp"));
  EXPECT_FALSE(own.is_at("http://tools.example.com/mcp"));
}

TEST(own_endpoint, of_who_does_not_serve_is_nowhere) {
  EXPECT_FALSE(config::own_endpoint{}.is_at("http://localhost:0/mcp"));
  EXPECT_FALSE(config::own_endpoint{}.is_at(""));
}

class own_program_test : public testing::Test {
protected:
  own_program_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = "/nowhere";
  }
  static boost::json::object at(const std::string& url) { return {{"type", "http"}, {"url", url}}; }
  void write(const std::string& path, boost::json::object servers) {
    folder_.write(path, boost::json::serialize(boost::json::object{{"mcpServers", std::move(servers)}}));
  }
  config::server_list load(const config::approval_lookup& approved) {
    return config::load_servers(
      env_, {"/nowhere/code-executor", config::own_endpoint{"http", {"127.0.0.1"}, 3333, "/mcp"}}, approved);
  }
  static strings names(const std::vector<msg::server_entry>& all) {
    strings out;
    std::transform(all.begin(), all.end(), std::back_inserter(out), [](auto& entry) { return entry.name; });
    return out;
  }

  test::folder folder_;
  config::environment env_;
};

TEST_F(own_program_test, entries_that_lead_to_where_we_serve_are_skipped) {
  ::setenv("CODE_EXECUTOR_TEST_PORT", "3333", 1);
  write("home/.claude.json", {{"tools", at("http://127.0.0.1:3333/mcp")},
                              {"by-name", at("http://localhost:3333/mcp")},
                              {"by-variable", at("http://localhost:${CODE_EXECUTOR_TEST_PORT}/mcp")},
                              {"code-executor", at("http://127.0.0.1:8080/mcp")}}); // only its name is ours
  auto l = load(config::approves_nothing);
  EXPECT_EQ(names(l.entries), strings{"code-executor"});
  EXPECT_EQ(names(l.of_clients).size(), 3u) << "their clients go there";
  EXPECT_EQ(names(config::load_servers(env_, {"/nowhere/code-executor"}).entries).size(), 4u)
    << "nothing is served at that address";
}

TEST_F(own_program_test, one_of_a_project_is_skipped_too_and_hides_nobody) {
  write("project/.mcp.json", {{"tools", at("http://127.0.0.1:3333/mcp")}});
  write("home/.claude.json", {{"tools", at("http://127.0.0.1:8080/mcp")}});
  for (auto said : {config::approval::none, config::approval::given}) {
    auto l = load([said](auto&) { return said; });
    ASSERT_EQ(names(l.entries), strings{"tools"});
    EXPECT_EQ(l.entries[0].url, "http://127.0.0.1:8080/mcp");
    EXPECT_TRUE(l.entries[0].shadows.empty());
    EXPECT_TRUE(l.hidden.empty());
  }
}

} // namespace config_own_program_test
