#include "actors/servers/generations.hpp"

#include <gtest/gtest.h>

namespace actors_servers_generations_test {

using servers::generations;
using strings = std::vector<std::string>;

msg::server_entry entry(std::string name, std::string command = "run") {
  msg::server_entry e;
  e.name = std::move(name);
  e.command = std::move(command);
  return e;
}

TEST(generations, keep_what_is_the_same_and_tell_what_is_not) {
  generations all{{}, {entry("same"), entry("changed"), entry("removed")}};
  auto same = all.find("same")->number, changed = all.find("changed")->number;
  auto changes = all.replace({entry("same"), entry("changed", "other"), entry("added")});
  EXPECT_EQ(changes.added, strings{"added"});
  EXPECT_EQ(changes.changed, strings{"changed"});
  EXPECT_EQ(changes.removed, strings{"removed"});
  EXPECT_EQ(all.find("same")->number, same);
  EXPECT_NE(all.find("changed")->number, changed) << "it is another one";
  EXPECT_EQ(all.find("removed"), nullptr);
}

TEST(generations, a_run_finds_the_servers_that_it_began_with) {
  generations all{{}, {entry("kid")}};
  all.run_begins(1);
  auto first = all.find("kid")->number;
  (void)all.replace({entry("kid", "second")});
  all.run_begins(2);
  (void)all.replace({});
  EXPECT_EQ(all.find("kid", 1)->number, first);
  EXPECT_NE(all.find("kid", 2)->number, first);
  EXPECT_EQ(all.find("kid", 3), nullptr) << "a run that has not begun finds those of now";
  EXPECT_EQ(*all.names_of(1).find("kid"), "kid");
  EXPECT_EQ(all.names_of(0).find("kid"), nullptr);
}

TEST(generations, what_no_run_can_use_any_more_is_gone) {
  generations all{{}, {entry("kid")}};
  all.run_begins(1);
  auto first = all.find("kid")->number;
  (void)all.replace({});
  EXPECT_TRUE(all.take_unneeded().empty());
  EXPECT_NE(all.numbered(first), nullptr);
  all.run_ends(1);
  EXPECT_EQ(all.take_unneeded(), std::vector<uint64_t>{first});
  EXPECT_EQ(all.numbered(first), nullptr);
  EXPECT_TRUE(all.take_unneeded().empty());
}

TEST(generations, an_entry_that_was_not_approved_takes_no_name_from_the_users) {
  auto of_user = entry("my-server"), of_project = entry("my_server");
  of_project.trust = msg::trust_level::unapproved;
  generations all{{}, {of_project, of_user}};
  EXPECT_EQ(*all.names_of(0).find("myServer"), "my-server");
  EXPECT_EQ(*all.names_of(0).find("my-server"), "my-server");
}

TEST(generations, the_last_one_that_a_process_serves_as_well_is_found_by_its_entry) {
  generations all{{}, {entry("kid")}};
  all.run_begins(1);
  (void)all.replace({entry("kid", "other")});
  EXPECT_TRUE(all.configured_as(entry("kid"))->is_retired());
  EXPECT_FALSE(all.configured_as(entry("kid", "other"))->is_retired());
  EXPECT_EQ(all.configured_as(entry("kid", "third")), nullptr);
}

} // namespace actors_servers_generations_test
