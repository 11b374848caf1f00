#include "tests/actors/connector_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::errc;

TEST_F(connector_test, five_hundred_servers_and_none_is_started) {
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i)
    names.push_back("server-" + std::to_string(i));
  begin(names);
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).size(), 500u);
  auto found = search("send an e-mail");
  EXPECT_TRUE(found.get().value.tools.empty());
  EXPECT_EQ(found.get().value.not_indexed.size(), 500u);
  EXPECT_TRUE(servers.connections.empty());
}

TEST_F(connector_test, two_callers_start_a_server_once) {
  begin({"fs", "mail"});
  auto a = resolve({"mcp__fs__echo", "", ""}), b = resolve({"", "fs", "readFile"});
  ASSERT_EQ(servers.connections.size(), 1u);
  finish_handshakes();
  EXPECT_EQ(a.get().value.name, "echo");
  EXPECT_EQ(b.get().value.name, "read-file");
  EXPECT_EQ(servers.connections.size(), 1u);
}

TEST_F(connector_test, connected_servers_start_together_and_unknown_names_do_no_harm) {
  begin({"a", "b", "c"}, {"a", "c", "nope"});
  ASSERT_EQ(servers.connections.size(), 2u);
  finish_handshakes();
  EXPECT_EQ(search("echo").get().value.tools.size(), 2u);
}

TEST_F(connector_test, a_server_that_no_pattern_allows_is_not_started) {
  begin({"fs", "mail"});
  msg::tool_filter only_mail{false, {"mcp__mail__*"}};
  EXPECT_EQ(resolve({"mcp__fs__echo", "", ""}, only_mail).get().error.code, errc::not_allowed);
  EXPECT_TRUE(servers.connections.empty());
}

TEST_F(connector_test, the_allowlist_is_checked_on_the_raw_name_behind_an_alias) {
  begin({"fs"});
  msg::tool_filter only_alias{false, {"mcp__fs__readFile"}};
  auto refused = resolve({"", "fs", "readFile"}, only_alias);
  finish_handshakes();
  EXPECT_EQ(refused.get().error.code, errc::not_allowed);
  EXPECT_NE(refused.get().error.message.find("mcp__fs__read-file"), std::string::npos);
}

TEST_F(connector_test, unknown_names_get_the_nearest_and_never_all) {
  begin({"filesystem", "mail"});
  auto server = resolve({"mcp__filesytem__echo", "", ""}).get();
  EXPECT_EQ(server.error.code, errc::unknown_server);
  EXPECT_EQ(server.error.suggestions, std::vector<std::string>{"filesystem"});
  auto tool = resolve({"mcp__filesystem__ecko", "", ""});
  finish_handshakes();
  EXPECT_EQ(tool.get().error.code, errc::unknown_tool);
  EXPECT_EQ(tool.get().error.suggestions, std::vector<std::string>{"echo"});
  EXPECT_EQ(resolve({"no-name", "", ""}).get().error.code, errc::invalid_argument);
}

/// What is near takes a look at all names, on the one thread.
TEST_F(connector_test, a_run_with_many_wrong_names_is_not_helped_for_ever) {
  begin({"filesystem"});
  msg::tool_ref wrong{"mcp__filesystem__ecko", "", ""};
  auto first = resolve(wrong);
  finish_handshakes();
  EXPECT_FALSE(first.get().error.suggestions.empty());
  wrong.run = 7;
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(resolve(wrong).get().error.suggestions.empty()) << i;
  auto late = resolve(wrong).get().error;
  EXPECT_EQ(late.code, errc::unknown_tool);
  EXPECT_TRUE(late.suggestions.empty()) << late.message;
  wrong.run = 8;
  EXPECT_FALSE(resolve(wrong).get().error.suggestions.empty()) << "another run";
}

TEST_F(connector_test, a_search_starts_the_servers_it_names) {
  begin({"weather-report", "mail"});
  auto found = search("echo in weather report");
  ASSERT_EQ(servers.connections.size(), 1u);
  finish_handshakes();
  EXPECT_EQ(found.get().value.connected, std::vector<std::string>{"weather-report"});
  EXPECT_EQ(found.get().value.tools.front().name, "echo");
  EXPECT_EQ(found.get().value.not_indexed, std::vector<std::string>{"mail"});
}

TEST_F(connector_test, a_search_is_answered_when_its_server_can_not_start) {
  begin({"bad"});
  servers.refuse_to_start = {errc::server_start_failed, "nope"};
  auto found = search("echo", "bad");
  EXPECT_EQ(found.get().value.failures.size(), 1u);
  EXPECT_EQ(search("echo", "unknown").get().error.code, errc::unknown_server);
}

TEST_F(connector_test, one_failing_server_harms_no_other) {
  begin({"good", "bad"});
  auto good = resolve({"mcp__good__echo", "", ""});
  auto bad = resolve({"mcp__bad__echo", "", ""});
  servers.connections[1]->end({errc::server_died, "ended with exit code 1"});
  settle();
  finish_handshakes();
  EXPECT_TRUE(good.get().ok());
  EXPECT_EQ(bad.get().error.code, errc::server_start_failed);
}

TEST_F(connector_test, stop_waits_for_the_last_process) {
  begin({"a", "b"}, {"a", "b"});
  finish_handshakes();
  auto stopped = send<bool>(connector, msg::stop_atom::value);
  settle();
  servers.connections[0]->end({errc::server_died, "exit"});
  settle();
  EXPECT_EQ(stopped.count(), 0u);
  servers.connections[1]->end({errc::server_died, "exit"});
  settle();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(resolve({"mcp__a__echo", "", ""}).get().error.code, errc::shutting_down);
}

// ---- what the catalog knows ------------------------------------------------------------------------

using strings = std::vector<std::string>;

TEST_F(connector_test, a_restart_knows_the_tools_and_starts_nothing) {
  begin({"fs", "mail"}, {"fs"});
  finish_handshakes();
  restart({"fs", "mail"});
  auto found = search("echo").get();
  EXPECT_EQ(names_of(found), strings{"fs.echo"});
  EXPECT_EQ(found.value.not_indexed, strings{"mail"});
  EXPECT_TRUE(found.value.connected.empty());
  EXPECT_EQ(names_of(search("ecko").get()), strings{"fs.echo"}) << "nor does a typing error";
  EXPECT_EQ(resolve({"mcp__fs__readFile", "", ""}).get().value.name, "read-file");
  EXPECT_EQ(resolve({"mcp__fs__echo", "", ""}, {false, {"mcp__mail__*", "mcp__fs__read*"}}).get().error.code,
            errc::not_allowed);
  auto listed = ask<msg::server_list>(connector, msg::servers_atom::value);
  EXPECT_EQ(listed.front().tools, (strings{"echo", "read-file"}));
  EXPECT_EQ(listed.front().state, msg::server_state::idle);
  EXPECT_TRUE(servers.connections.empty());
}

TEST_F(connector_test, a_tool_that_the_catalog_does_not_know_may_be_new) {
  begin({"fs"}, {"fs"});
  finish_handshakes({"echo"});
  restart({"fs"});
  auto found = resolve({"mcp__fs__brand_new", "", ""});
  ASSERT_EQ(servers.connections.size(), 1u);
  finish_handshakes({"echo", "brand_new"});
  EXPECT_EQ(found.get().value.name, "brand_new");
  EXPECT_EQ(names_of(search("brand new").get()), strings{"fs.brand_new"});
}

TEST_F(connector_test, a_server_that_is_named_is_connected_though_it_is_known) {
  begin({"fs", "mail"}, {"fs"});
  finish_handshakes({"echo"});
  restart({"fs", "mail"});
  auto found = search("fs echo");
  ASSERT_EQ(servers.connections.size(), 1u);
  finish_handshakes({"echo", "echo_twice"});
  EXPECT_EQ(found.get().value.connected, strings{"fs"});
  EXPECT_EQ(names_of(found.get()), (strings{"fs.echo", "fs.echo_twice"})) << "what it has told just now counts";
  EXPECT_TRUE(search("fs echo").get().value.connected.empty()) << "it runs already";
}

TEST_F(connector_test, a_known_server_that_does_not_start_is_not_waited_for_long) {
  begin({"fs"}, {"fs"});
  finish_handshakes({"echo"});
  restart({"fs"});
  auto found = search("echo", "fs");
  advance(4s);
  ASSERT_EQ(found.count(), 1u);
  EXPECT_EQ(names_of(found.get()), strings{"fs.echo"});
  EXPECT_EQ(found.get().value.failures.size(), 1u);
}

TEST_F(connector_test, a_new_list_counts_at_once) {
  begin({"fs"}, {"fs"});
  finish_handshakes({"echo"});
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  advance(1s);
  finish_handshakes({"shout"});
  EXPECT_EQ(names_of(search("shout").get()), strings{"fs.shout"});
  EXPECT_TRUE(search("echo").get().value.tools.empty());
  EXPECT_EQ(resolve({"mcp__fs__echo", "", ""}).get().error.code, errc::unknown_tool);
}

TEST_F(connector_test, what_the_catalog_has_lost_it_is_told_again) {
  begin({"fs"}, {"fs"});
  finish_handshakes({"echo"});
  for (auto& f : std::filesystem::directory_iterator{state.path()})
    std::filesystem::remove(f);
  EXPECT_EQ(names_of(search("echo").get()), strings{"fs.echo"});
  EXPECT_TRUE(search("echo").get().value.not_indexed.empty());
}

TEST_F(connector_test, only_what_may_be_used_is_found_and_started) {
  begin({"fs", "mail"}, {"fs"});
  finish_handshakes();
  msg::tool_query q{"mail echo", "", 10, {false, {"mcp__fs__read*"}}};
  auto found = ask<search_result>(connector, msg::search_atom::value, q);
  EXPECT_TRUE(found.value.tools.empty());
  EXPECT_TRUE(found.value.not_indexed.empty());
  EXPECT_EQ(servers.connections.size(), 1u);
}

TEST_F(connector_test, a_dead_catalog_answers_with_an_error) {
  begin({"fs"});
  self->send_exit(catalog, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(search("echo").get().error.code, errc::internal);
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).size(), 1u);
  auto found = resolve({"mcp__fs__echo", "", ""});
  finish_handshakes();
  EXPECT_TRUE(found.get().ok());
}

TEST_F(connector_test, indexing_reads_the_tools_and_stops_what_it_started) {
  begin({"fs", "mail"}, {"mail"});
  finish_handshakes();
  auto indexed = send<msg::outcome<uint32_t>>(connector, msg::index_atom::value, std::string{"fs"});
  settle();
  ASSERT_EQ(servers.connections.size(), 2u);
  finish_handshakes();
  EXPECT_TRUE(servers.last().stopped);
  servers.last().end({errc::server_died, "exit"});
  settle();
  EXPECT_EQ(indexed.get().value, 2u);
  EXPECT_EQ((ask<msg::outcome<uint32_t>>(connector, msg::index_atom::value, std::string{"mail"}).value), 2u);
  EXPECT_FALSE(servers.connections.front()->stopped) << "it was running before";
  EXPECT_EQ((ask<msg::outcome<uint32_t>>(connector, msg::index_atom::value, std::string{"nobody"}).error.code),
            errc::unknown_server);
  EXPECT_EQ(search("echo").get().value.total, 2u);
}
