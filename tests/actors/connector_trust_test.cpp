// What the connector does with entries that the user has not approved, and with those that the user has switched off.
#include "tests/actors/connector_fixture.hpp"

#include <gtest/gtest.h>

namespace {

using namespace testing_support;
using msg::errc;
using msg::trust_level;

struct connector_trust : connector_test {
  static msg::server_entry with(const std::string& name, trust_level level) {
    auto e = entry(name);
    e.trust = level;
    e.source = "/project/.mcp.json";
    e.eager = true;
    return e;
  }
  void begin_entries(std::vector<msg::server_entry> entries, std::vector<std::string> at_start = {}) {
    actors::connector_options o;
    o.servers = std::move(entries);
    begin_with(std::move(o), std::move(at_start));
  }
  msg::server_changes reload(std::vector<msg::server_entry> entries) {
    return ask<msg::server_changes>(connector, msg::reload_atom::value, std::move(entries));
  }
};

TEST_F(connector_trust, nothing_starts_an_entry_that_nobody_approved) {
  for (auto level : {trust_level::unapproved, trust_level::changed, trust_level::rejected}) {
    begin_entries({with("kid", level)}, {"kid"});
    EXPECT_EQ(resolve({"mcp__kid__echo", "", ""}).get().error.code, errc::needs_approval);
    auto c = send<msg::outcome<msg::tool_result>>(connector, msg::call_atom::value, wanted_call({1, 1}, "kid"));
    auto i = send<msg::outcome<uint32_t>>(connector, msg::index_atom::value, std::string{"kid"});
    settle();
    EXPECT_EQ(c.get().error.code, errc::needs_approval);
    EXPECT_EQ(i.get().error.code, errc::needs_approval);
    auto l = send<msg::outcome<bool>>(connector, msg::login_atom::value, msg::login_request{0, "kid", {}});
    settle();
    EXPECT_EQ(l.get().error.code, errc::not_allowed) << "and nobody is asked to log in there";
    auto named = search("echo", "kid").get();
    EXPECT_EQ(named.error.code, errc::needs_approval);
    EXPECT_NE(named.error.message.find("code-executor trust --server kid"), std::string::npos) << named.error.message;
    auto spoken_of = search("ask the kid").get();
    ASSERT_EQ(spoken_of.value.failures.size(), 1u);
    EXPECT_EQ(spoken_of.value.failures[0].code, errc::needs_approval);
    EXPECT_TRUE(search("another word").get().value.failures.empty());
    auto status = ask<msg::server_list>(connector, msg::servers_atom::value).front();
    EXPECT_EQ(status.state,
              level == trust_level::rejected ? msg::server_state::rejected : msg::server_state::unapproved);
    EXPECT_NE(status.last_error.find("code-executor trust --server kid"), std::string::npos);
    EXPECT_TRUE(servers.connections.empty());
    end();
  }
}

TEST_F(connector_trust, who_may_not_use_it_does_not_hear_of_it) {
  begin_entries({with("kid", trust_level::unapproved)});
  msg::tool_filter nothing;
  nothing.everything = false;
  msg::tool_query query;
  query.text = "echo";
  query.server = "kid";
  query.allowed = nothing;
  auto named = ask<msg::outcome<msg::tool_matches>>(connector, msg::search_atom::value, query);
  EXPECT_NE(named.error.code, errc::needs_approval);
  auto near = ask<msg::outcome<msg::tool_info>>(connector, msg::describe_atom::value,
                                                msg::tool_ref{"mcp__kidd__echo", "", ""}, nothing);
  EXPECT_EQ(near.error.code, errc::unknown_server);
  EXPECT_TRUE(near.error.suggestions.empty());
  EXPECT_EQ(near.error.message.find("kid'?"), std::string::npos) << near.error.message;
}

TEST_F(connector_trust, an_approval_lets_it_start_and_a_change_does_not) {
  begin_entries({with("kid", trust_level::unapproved)});
  (void)reload({with("kid", trust_level::approved)});
  settle();
  ASSERT_EQ(servers.connections.size(), 1u) << "it is eager";
  finish_handshakes({"echo"});
  EXPECT_TRUE(resolve({"mcp__kid__echo", "", ""}).get().ok());
  auto changed = with("kid", trust_level::changed);
  changed.command = "another";
  (void)reload({changed});
  settle();
  EXPECT_EQ(resolve({"mcp__kid__echo", "", ""}).get().error.code, errc::needs_approval);
  EXPECT_EQ(servers.connections.size(), 1u);
  EXPECT_TRUE(servers.connections[0]->stopped);
  servers.connections[0]->end({errc::server_died, "was told to"});
  settle();
}

TEST_F(connector_trust, what_is_switched_off_is_started_by_name_only) {
  auto off = with("kid", trust_level::user);
  off.disabled = true;
  off.client = "Claude Code (user)";
  begin_entries({off});
  auto word = search("what does the kid do").get();
  EXPECT_TRUE(servers.connections.empty());
  ASSERT_EQ(word.value.failures.size(), 1u);
  EXPECT_NE(word.value.failures[0].message.find("is switched off in Claude Code (user)"), std::string::npos);
  auto named = search("echo", "kid");
  EXPECT_EQ(servers.connections.size(), 1u);
  finish_handshakes({"echo"});
  EXPECT_EQ(names_of(named.get()), std::vector<std::string>{"kid.echo"});
}

TEST_F(connector_trust, the_user_may_name_what_is_switched_off) {
  auto off = with("kid", trust_level::user);
  off.disabled = true;
  begin_entries({off}, {"kid"});
  EXPECT_EQ(servers.connections.size(), 1u);
}

} // namespace
