#include "actors/servers/server_slots.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace actors_servers_server_slots_test {

using namespace std::chrono_literals;
using msg::errc;

msg::server_entry entry(std::string name) {
  msg::server_entry e;
  e.name = std::move(name);
  e.command = "run";
  return e;
}

struct server_slots_test : testing::Test {
  servers::time_point now{1h};
  servers::generations all{{}, {entry("a"), entry("b"), entry("c")}};
  std::deque<std::pair<std::string, std::function<void(bool)>>> asked; ///< to stop, and what follows
  servers::server_slots slots{all,
                              2,
                              {[this] { return now; },
                               [this](servers::server& s, std::function<void(bool)> then) {
                                 asked.emplace_back(s.entry.name, std::move(then));
                               }}};
  std::vector<std::string> told;

  void take(const std::string& name) {
    now += 1s;
    slots.take(*all.find(name),
               [this, name](const msg::fault& why) { told.push_back(name + " " + std::string{to_string(why.code)}); });
  }
  /// The server that was asked last has stopped, or is in use.
  void answer(bool has_stopped) {
    auto [name, then] = std::move(asked.front());
    asked.pop_front();
    then(has_stopped);
  }
};

TEST_F(server_slots_test, are_given_at_once_while_there_are_some) {
  take("a"), take("b"), take("a");
  EXPECT_EQ(told, (std::vector<std::string>{"a none", "b none", "a none"}));
  EXPECT_TRUE(asked.empty());
}

TEST_F(server_slots_test, are_taken_from_the_server_that_was_not_used_for_the_longest_time) {
  take("a"), take("b"), take("a"), take("c");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first, "b");
  EXPECT_EQ(told.size(), 3u) << "it waits";
  answer(true);
  EXPECT_EQ(told.back(), "c none");
}

TEST_F(server_slots_test, that_are_all_in_use_are_refused) {
  take("a"), take("b"), take("c");
  answer(false);
  EXPECT_EQ(asked.at(0).first, "b") << "the next one";
  answer(false);
  EXPECT_EQ(told.back(), "c overloaded");
}

TEST_F(server_slots_test, are_not_taken_from_eager_servers) {
  take("a"), take("b");
  all.find("a")->entry.eager = all.find("b")->entry.eager = true;
  take("c");
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(told.back(), "c overloaded");
}

TEST_F(server_slots_test, are_refused_when_the_wanted_server_is_gone_meanwhile_or_the_program_ends) {
  take("a"), take("b"), take("c");
  (void)all.replace({entry("a"), entry("b")});
  answer(true);
  EXPECT_EQ(told.back(), "c overloaded");
  take("a");
  take("b");
  (void)all.replace({entry("a"), entry("b"), entry("c")});
  take("c");
  slots.end();
  answer(false);
  EXPECT_EQ(told.back(), "c overloaded");
}

TEST_F(server_slots_test, are_not_given_to_what_the_user_has_not_approved) {
  all.find("a")->entry.trust = msg::trust_level::unapproved;
  take("a");
  EXPECT_EQ(told.back(), "a needs_approval");
  EXPECT_FALSE(all.find("a")->has_slot);
}

} // namespace actors_servers_server_slots_test
