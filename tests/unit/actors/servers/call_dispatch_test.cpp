#include "actors/servers/call_dispatch.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace actors_servers_call_dispatch_test {

using namespace std::chrono_literals;
using msg::errc;
using servers::call_dispatch;
using tool_outcome = msg::outcome<msg::tool_info>;

msg::server_entry entry(std::string name) {
  msg::server_entry e;
  e.name = std::move(name);
  e.command = "run";
  return e;
}

msg::tool_info tool(std::string name, std::string changed = {}) {
  return {"fs", std::move(name), {}, {}, {}, std::move(changed)};
}

struct call_dispatch_test : testing::Test {
  servers::generations all{{}, {entry("fs"), entry("mail")}};
  servers::tool_names names{all};
  servers::server_slots slots{
    all, 1, {[] { return servers::time_point{1h}; }, [](servers::server&, auto then) { then(false); }}};
  servers::tool_reviews reviews{all, servers::unreviewed_tools::refused, {}, {}};
  std::deque<std::function<void(std::optional<tool_outcome>)>> catalog;
  servers::tool_resolution tools{all,
                                 names,
                                 reviews,
                                 {[this](auto&, auto&, auto then) { catalog.push_back(then); },
                                  [](servers::server&, uint64_t, auto then) { then({}); }}};
  std::deque<std::function<void(msg::fault)>> limiter;
  servers::call_rates rates;
  std::optional<call_dispatch> calls;
  std::vector<std::string> heard; ///< what came of calls, by number

  call_dispatch_test() { with_rates({}); }
  void with_rates(servers::call_rates with) {
    calls.emplace(all, names, reviews, tools, slots, with,
                  servers::dispatch_routes{[this](auto, auto then) { limiter.push_back(then); },
                                           [] { return servers::time_point{1h}; }});
  }
  void list(msg::tool_list listed) {
    auto& s = *all.find("fs");
    s.usable.tools = std::move(listed);
    s.usable.names = servers::names_in(*s.usable.tools);
    s.listed = true;
  }
  static msg::tool_request request(uint64_t number, std::string name = "readFile", uint64_t run = 1) {
    return {{run, number}, {"", "fs", std::move(name)}, {}, msg::document{}};
  }
  struct hearing final : servers::caller {
    std::vector<std::string>& heard;
    uint64_t number;
    hearing(std::vector<std::string>& to, uint64_t n) : heard(to), number(n) {}
    void answer(msg::fault why) override {
      heard.push_back(std::to_string(number) + " " + std::string{to_string(why.code)} + " " + why.message);
    }
    void pass_on(servers::checked_call c) override {
      heard.push_back(std::to_string(number) + " sent " + c.call.server + "." + c.call.tool
                      + (c.changed.empty() ? "" : " which " + c.changed));
    }
  };
  void take(uint64_t number, std::string name = "readFile", uint64_t run = 1) {
    (void)begin(request(number, std::move(name), run));
  }
  std::optional<msg::outcome<servers::checked_call>> begin(msg::tool_request wanted) {
    return calls->begin(std::move(wanted),
                        [this, number = wanted.key.call] { return std::make_unique<hearing>(heard, number); });
  }
};

TEST_F(call_dispatch_test, of_listed_tools_go_on_at_once_as_they_were_checked) {
  list({tool("read-file")});
  all.find("fs")->has_slot = true;
  auto wanted = request(1);
  wanted.patience_ms = 7;
  auto now = begin(wanted);
  ASSERT_TRUE(now && now->ok());
  EXPECT_EQ(now->value.to, all.find("fs"));
  EXPECT_EQ(now->value.call.tool, "read-file") << "the raw name, whatever the program has written";
  EXPECT_EQ(now->value.call.patience_ms, 7u);
  EXPECT_EQ(calls->called_by(1), std::set<std::string>{"fs"});
}

TEST_F(call_dispatch_test, that_may_not_be_made_are_refused_at_once) {
  list({tool("read-file")});
  auto not_allowed = request(1);
  not_allowed.allowed = {false, {"mcp__mail__*"}, {}};
  EXPECT_EQ(begin(not_allowed)->error.code, errc::not_allowed);
  auto unknown = request(2, "rm");
  EXPECT_EQ(begin(unknown)->error.code, errc::unknown_tool);
  auto no_server = request(3);
  no_server.tool.server = "nope";
  EXPECT_EQ(begin(no_server)->error.code, errc::unknown_server);
}

struct consent_dispatch_test : call_dispatch_test {
  consent_dispatch_test() {
    all = servers::generations{{true, {}, {}, {"mcp__fs__read*"}}, {entry("fs"), entry("mail")}};
    with_rates({});
  }
};

TEST_F(consent_dispatch_test, a_call_without_consent_comes_back_with_what_it_means) {
  list({tool("read-file"), tool("write")});
  all.find("fs")->has_slot = true;
  for (auto* spelled : {"read-file", "readFile", "read_file", "READ-FILE"}) {
    auto back = begin(request(1, spelled));
    ASSERT_TRUE(back) << spelled;
    EXPECT_EQ(back->error.code, errc::not_approved) << spelled;
    EXPECT_EQ(back->error.server, "fs");
    EXPECT_EQ(back->error.tool, "read-file") << "the raw name, whatever the program has written";
  }
  auto full = request(2);
  full.tool = {"mcp__fs__readFile", "", ""};
  EXPECT_EQ(begin(full)->error.code, errc::not_approved);
  EXPECT_TRUE(begin(request(3, "write"))->ok());
  auto resources = request(4);
  resources.tool.method = msg::child_method::read_resource;
  EXPECT_TRUE(begin(resources)->error.code == errc::not_approved
              || !all.policy()->needs_consent("fs", "resources/read"));
}

TEST_F(consent_dispatch_test, consent_is_good_for_that_tool_only) {
  list({tool("read-file"), tool("read-all")});
  all.find("fs")->has_slot = true;
  auto agreed = request(1);
  agreed.agreed = {"fs", "read-file"};
  EXPECT_TRUE(begin(agreed)->ok());
  for (auto other : {msg::consent{"fs", "read-all"}, {"mail", "read-file"}, {"fs", "readFile"}, {"", "read-file"}}) {
    agreed.agreed = other;
    EXPECT_EQ(begin(agreed)->error.code, errc::not_approved) << other.server << " " << other.tool;
  }
}

TEST_F(consent_dispatch_test, of_a_tool_that_was_asked_for_it_is_wanted_as_well) {
  take(1);
  catalog.at(0)(tool_outcome{tool("read-file")});
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].starts_with("1 not_approved")) << heard[0];
  auto agreed = request(2);
  agreed.agreed = {"fs", "read-file"};
  EXPECT_FALSE(begin(agreed));
  catalog.at(1)(tool_outcome{tool("read-file")});
  EXPECT_EQ(heard.back(), "2 sent fs.read-file");
}

TEST_F(call_dispatch_test, wait_for_a_slot_and_for_tokens) {
  list({tool("read-file")});
  EXPECT_FALSE(begin(request(1))) << "its server does not run";
  EXPECT_EQ(heard, std::vector<std::string>{"1 sent fs.read-file"});
  EXPECT_TRUE(all.find("fs")->has_slot);
  with_rates({{1, 1'000}, {}});
  EXPECT_FALSE(begin(request(2)));
  take(3);
  ASSERT_EQ(limiter.size(), 2u);
  limiter[0]({}), limiter[1]({errc::rate_limited, "later"});
  EXPECT_EQ(heard[1], "2 sent fs.read-file");
  EXPECT_EQ(heard[2], "3 rate_limited later");
}

TEST_F(call_dispatch_test, that_are_asked_about_go_on_when_the_catalog_knows_them) {
  take(1);
  ASSERT_EQ(catalog.size(), 1u);
  catalog[0](tool_outcome{tool("read-file")});
  EXPECT_EQ(heard, std::vector<std::string>{"1 sent fs.read-file"});
}

TEST_F(call_dispatch_test, of_tools_that_have_changed_are_asked_about_for_they_may_have_been_approved_meanwhile) {
  list({tool("read-file", "has another description")});
  EXPECT_FALSE(begin(request(1)));
  catalog[0](tool_outcome{tool("read-file", "has another description")});
  EXPECT_EQ(heard, std::vector<std::string>{"1 sent fs.read-file which has another description"});
}

TEST_F(call_dispatch_test, of_one_run_are_asked_about_a_few_at_a_time_and_others_do_not_wait_for_them) {
  for (uint64_t i = 1; i <= call_dispatch::questions_at_once_max + 4; ++i)
    take(i);
  EXPECT_EQ(catalog.size(), call_dispatch::questions_at_once_max);
  take(1, "readFile", 2);
  EXPECT_EQ(catalog.size(), call_dispatch::questions_at_once_max + 1);
  catalog[0](tool_outcome{tool("read-file")});
  EXPECT_EQ(catalog.size(), call_dispatch::questions_at_once_max + 2);
}

TEST_F(call_dispatch_test, many_that_are_cancelled_before_their_turn_need_no_deep_stack) {
  constexpr uint64_t many = 20'000;
  for (uint64_t i = 1; i <= many; ++i)
    take(i);
  for (uint64_t i = call_dispatch::questions_at_once_max + 1; i <= many; ++i)
    EXPECT_TRUE(calls->cancel({1, i}));
  catalog[0](tool_outcome{tool("read-file")});
  EXPECT_EQ(heard.size(), many - call_dispatch::questions_at_once_max + 1);
  EXPECT_EQ(catalog.size(), call_dispatch::questions_at_once_max) << "nothing more is asked";
}

TEST_F(call_dispatch_test, whose_tool_is_held_since_it_was_found_are_not_sent) {
  list({tool("read-file")});
  with_rates({{1, 1'000}, {}});
  take(1);
  auto& usable = all.find("fs")->usable;
  usable.with_held = usable.tools;
  usable.tools = {};
  usable.names = proxy::name_table{};
  limiter[0]({});
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].starts_with("1 tool_changed")) << heard[0];
}

TEST_F(call_dispatch_test, of_a_run_that_is_over_are_answered_once_and_never_sent) {
  take(1), take(2, "readFile", 2);
  EXPECT_TRUE(calls->end_run(1).empty());
  EXPECT_EQ(heard, std::vector<std::string>{std::string{"1 cancelled "} + msg::run_ended_unsent});
  catalog[0](tool_outcome{tool("read-file")});
  EXPECT_EQ(heard.size(), 1u);
  catalog[1](tool_outcome{tool("read-file")});
  EXPECT_EQ(heard[1], "2 sent fs.read-file");
  EXPECT_EQ(calls->end_run(2), std::set<std::string>{"fs"});
  take(3);
  calls->end();
  EXPECT_TRUE(heard[2].starts_with("3 shutting_down")) << heard[2];
}

} // namespace actors_servers_call_dispatch_test
