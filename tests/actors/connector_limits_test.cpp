// How many servers run at once, how often they are called, and what no run may use.
#include "tests/actors/connector_limits_fixture.hpp"

// ---- places ----------------------------------------------------------------------------------

TEST_F(connector_limits, the_longest_unused_server_makes_room) {
  auto o = options({"a", "b", "c"});
  o.running_max = 2;
  begin_with(std::move(o));
  for (auto* name : {"a", "b"}) {
    (void)call(name);
    answer_all();
    advance(1s);
  }
  (void)call("a"); // b is the longest unused now
  answer_all();
  auto third = call("c");
  EXPECT_EQ(third.count(), 0u);
  ASSERT_TRUE(running("b")->stopped);
  EXPECT_FALSE(running("a")->stopped);
  let_stopped_end();
  answer_all();
  EXPECT_TRUE(third.get().ok());
  EXPECT_EQ(running_count(), 2u);
}

TEST_F(connector_limits, servers_in_use_keep_their_places) {
  auto o = options({"a", "b", "c"});
  o.running_max = 2;
  begin_with(std::move(o));
  auto a = call("a"), b = call("b");
  finish_handshakes({"echo"});
  auto refused = call("c").get();
  EXPECT_EQ(refused.error.code, errc::overloaded);
  EXPECT_NE(refused.error.message.find("servers.maxRunning"), std::string::npos) << refused.error.message;
  EXPECT_EQ(refused.error.server, "c");
  answer_all();
  EXPECT_TRUE(a.get().ok() && b.get().ok());
}

TEST_F(connector_limits, a_server_that_makes_room_is_not_started_again_beside_the_other_one) {
  auto o = options({"a", "c"});
  o.running_max = 1;
  begin_with(std::move(o));
  (void)call("a");
  answer_all();
  auto other = call("c"), late = call("a"); // while `a` is being stopped
  ASSERT_TRUE(running("a")->stopped);
  for (int i = 0; i < 10; ++i) {
    let_stopped_end();
    EXPECT_LE(running_count(), 1u);
    answer_all();
    EXPECT_LE(running_count(), 1u);
  }
  EXPECT_TRUE(other.get().ok());
  EXPECT_TRUE(late.get().ok() || late.get().error.code == errc::overloaded);
}

/// The call that was on its way to it starts it again: it has not given its place away.
TEST_F(connector_limits, a_server_that_ends_while_it_is_called_keeps_its_place) {
  auto o = options({"a", "c"});
  o.running_max = 1;
  o.limits.idle = 1s;
  begin_with(std::move(o));
  (void)call("a");
  answer_all();
  advance(2s);
  ASSERT_TRUE(running("a")->stopped);
  auto called = send<call_result>(connector, msg::call_atom::value, wanted_call({1, ++last_call}, "a"));
  running("a")->end({errc::server_died, "was told to"});
  auto other = send<call_result>(connector, msg::call_atom::value, wanted_call({1, ++last_call}, "c"));
  settle();
  EXPECT_EQ(running_count(), 1u);
  answer_all();
  EXPECT_TRUE(called.get().ok());
  EXPECT_EQ(other.get().error.code, errc::overloaded);
}

TEST_F(connector_limits, many_at_once_never_exceed_the_limit) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i)
    names.push_back("s" + std::to_string(i));
  auto o = options(names);
  o.running_max = 3;
  begin_with(std::move(o));
  std::vector<pending<call_result>> calls;
  for (auto& n : names)
    calls.push_back(call(n));
  for (int i = 0; i < 60; ++i) {
    EXPECT_LE(running_count(), 3u);
    answer_all();
    let_stopped_end();
  }
  size_t answered = 0;
  for (auto& c : calls)
    answered += c.get().ok() || c.get().error.code == errc::overloaded;
  EXPECT_EQ(answered, 20u);
}

TEST_F(connector_limits, a_server_that_died_gives_its_place_back) {
  auto o = options({"a", "b"});
  o.running_max = 1;
  begin_with(std::move(o));
  (void)call("a");
  answer_all();
  running("a")->end({errc::server_died, "crashed"});
  settle();
  auto b = call("b");
  answer_all();
  EXPECT_TRUE(b.get().ok());
}

TEST_F(connector_limits, a_server_that_has_died_keeps_no_place_for_calls_that_wait_no_longer_for_its_restart) {
  auto o = options({"bad", "ok"});
  o.running_max = 1;
  begin_with(std::move(o));
  (void)call("bad");
  answer_all();
  running("bad")->end({errc::server_died, "crashed"});
  settle();
  auto patient = wanted_call({1, ++last_call}, "bad");
  patient.patience_ms = 60'000;
  auto waits = send<call_result>(connector, msg::call_atom::value, patient);
  settle();
  EXPECT_EQ(waits.count(), 0u) << "until it may be started again";
  self->send(connector, msg::cancel_atom::value, msg::call_key{1, last_call});
  settle();
  EXPECT_EQ(waits.get().error.code, errc::cancelled);
  auto other = call("ok");
  answer_all();
  EXPECT_TRUE(other.get().ok()) << other.get().error.message;
}

TEST_F(connector_limits, a_server_that_can_not_be_started_takes_no_place) {
  auto o = options({"bad", "good"});
  o.running_max = 1;
  o.servers[0].unusable = "no command";
  begin_with(std::move(o));
  EXPECT_EQ(call("bad").get().error.code, errc::server_start_failed);
  auto good = call("good");
  answer_all();
  EXPECT_TRUE(good.get().ok());
}

// ---- rates -----------------------------------------------------------------------------------

TEST_F(connector_limits, calls_of_a_server_are_limited_by_its_entry) {
  auto o = options({"a", "b"});
  o.servers[0].rate = {2, 60'000};
  begin_with(std::move(o));
  (void)call("a"), (void)call("a");
  answer_all();
  auto refused = call("a").get();
  EXPECT_EQ(refused.error.code, errc::rate_limited);
  EXPECT_EQ(refused.error.retry_after_ms, 30'000u);
  EXPECT_NE(refused.error.message.find("rateLimit of its entry"), std::string::npos) << refused.error.message;
  auto other = call("b");
  answer_all();
  EXPECT_TRUE(other.get().ok());
  advance(30s);
  auto later = call("a");
  answer_all();
  EXPECT_TRUE(later.get().ok());
}

TEST_F(connector_limits, calls_of_a_tool_are_limited_by_the_settings) {
  auto o = options({"a"});
  o.rates.per_tool = {1, 1'000};
  begin_with(std::move(o));
  (void)call("a");
  answer_all();
  EXPECT_EQ(call("a").get().error.code, errc::rate_limited);
}

TEST_F(connector_limits, a_call_that_is_cancelled_before_it_has_its_tokens_and_its_place_never_leaves) {
  auto o = options({"a", "b"});
  o.running_max = 1;
  o.rates.per_tool = {100, 1'000};
  begin_with(std::move(o));
  (void)call("b"); // its tools are known then
  answer_all();
  (void)call("a");
  let_stopped_end();
  answer_all();
  auto waiting = call("b"); // until `a` has gone
  ASSERT_EQ(waiting.count(), 0u);
  self->send(connector, msg::cancel_atom::value, msg::call_key{1, last_call});
  settle();
  EXPECT_EQ(waiting.get().error.code, errc::cancelled);
  let_stopped_end();
  EXPECT_EQ(running("b"), nullptr) << "no call needs it";
}

TEST_F(connector_limits, tools_whose_names_read_the_same_have_buckets_of_their_own) {
  auto o = options({"a", "a__echo"});
  o.rates.per_tool = {1, 1'000};
  begin_with(std::move(o));
  auto first = send<call_result>(connector, msg::call_atom::value, wanted_call({1, 100}, "a", "echo__echo"));
  auto second = call("a__echo");
  EXPECT_EQ(second.count(), 0u) << "not refused: it waits for its server";
  answer_all();
}

// ---- policy ----------------------------------------------------------------------------------

TEST_F(connector_limits, what_the_settings_deny_is_neither_found_nor_called) {
  auto o = options({"a", "b"});
  o.policy = {true, {}, {"mcp__a__*", "mcp__b__read-file"}};
  begin_with(std::move(o));
  auto whole = resolve({"mcp__a__echo", "", ""});
  EXPECT_EQ(whole.get().error.code, errc::not_allowed);
  EXPECT_NE(whole.get().error.message.find("security.deniedTools"), std::string::npos) << whole.get().error.message;
  EXPECT_TRUE(servers.connections.empty()) << "nothing of it may be used: it is not started";
  auto found = search("echo or read a file", "b");
  finish_handshakes();
  EXPECT_EQ(names_of(found.get()), std::vector<std::string>{"b.echo"});
  EXPECT_EQ(resolve({"", "b", "readFile"}).get().error.code, errc::not_allowed);
  EXPECT_TRUE(resolve({"", "b", "echo"}).get().ok());
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).at(1).tools, std::vector<std::string>{"echo"});
}

TEST_F(connector_limits, a_pattern_means_the_server_that_it_names) {
  begin({"a", "a__b"});
  finish_handshakes();
  auto tool = [&](std::string server, std::vector<std::string> patterns) {
    auto answer = resolve({"", std::move(server), "echo"}, {false, std::move(patterns), {}});
    finish_handshakes();
    return answer.get().error.code;
  };
  EXPECT_EQ(tool("a__b", {"mcp__a__*"}), errc::not_allowed);
  EXPECT_EQ(tool("a", {"mcp__a__*"}), errc::none);
  EXPECT_EQ(tool("a__b", {"mcp__a__b__*"}), errc::none);
  EXPECT_EQ(tool("a", {"mcp__a__b__*"}), errc::not_allowed);
  msg::tool_query q;
  q.text = "echo";
  q.allowed = {false, {"mcp__a__*"}, {}};
  EXPECT_EQ(names_of(ask<search_result>(connector, msg::search_atom::value, q)), std::vector<std::string>{"a.echo"});
}

TEST_F(connector_limits, a_run_is_told_of_servers_what_it_may_use) {
  auto o = options({"a", "b", "c", "d"});
  o.policy = {true, {}, {"mcp__d__*"}};
  o.servers[2].unusable = "no command";
  begin_with(std::move(o));
  (void)resolve({"", "a", "echo"}), (void)resolve({"", "b", "echo"});
  finish_handshakes();
  auto list = [&](std::vector<std::string> patterns) {
    return ask<msg::server_list>(connector, msg::servers_atom::value, msg::tool_filter{false, std::move(patterns), {}});
  };
  auto one = list({"mcp__a__echo"});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, "a");
  EXPECT_EQ(one[0].tools, std::vector<std::string>{"echo"});
  EXPECT_EQ(one[0].tool_count, 1u);
  auto some = list({"*__read-file"});
  ASSERT_EQ(some.size(), 3u) << "a and b have it, c could";
  EXPECT_EQ(some[1].tools, std::vector<std::string>{"read-file"});
  EXPECT_EQ(list({"*__no_such_tool"}).size(), 1u) << "only of c nothing is known";
  EXPECT_EQ(list({}).size(), 0u);
  auto resources = list({"mcp__a__resources/read"});
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources[0].tools.size(), 0u) << "its resources may be read, and no tool of it called";
  EXPECT_EQ(ask<msg::server_list>(connector, msg::servers_atom::value).size(), 4u) << "a person may know them all";
}

TEST_F(connector_limits, what_an_entry_excludes_is_neither_found_nor_called) {
  auto o = options({"a", "b"});
  o.servers[0].tools = {true, {}, {"read-*"}};
  o.servers[0].source = "/x/mcp.json";
  o.servers[1].tools = {false, {"echo"}, {}};
  begin_with(std::move(o));
  auto a = search("", "a"), b = search("", "b");
  finish_handshakes();
  EXPECT_EQ(names_of(a.get()), std::vector<std::string>{"a.echo"});
  EXPECT_EQ(names_of(b.get()), std::vector<std::string>{"b.echo"});
  auto refused = resolve({"mcp__a__read-file", "", ""}).get();
  EXPECT_EQ(refused.error.code, errc::not_allowed);
  EXPECT_NE(refused.error.message.find("excludeTools of the server's entry in /x/mcp.json"), std::string::npos)
    << refused.error.message;
}
