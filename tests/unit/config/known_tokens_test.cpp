#include "config/known_tokens.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace config_known_tokens_test {

/// `token` commands of a person, and a server that has been running all the time.
class known_tokens_test : public testing::Test {
protected:
  std::string make(const std::string& name) {
    auto made = config::client_tokens{folder_.path()}.make(name);
    EXPECT_TRUE(made.ok()) << made.error.message;
    return made.value;
  }
  void revoke(const std::string& name) { EXPECT_TRUE(config::client_tokens{folder_.path()}.revoke(name).value); }
  std::string bearer_of(const std::string& token) {
    auto bearer = known_.bearer_of(token);
    EXPECT_EQ(known_.has(bearer), !bearer.empty());
    return bearer;
  }

  test::folder folder_;
  config::known_tokens known_{folder_.path()};
};

TEST_F(known_tokens_test, there_are_none_at_first) {
  EXPECT_FALSE(known_.are_wanted());
  EXPECT_FALSE(known_.has("a"));
  EXPECT_EQ(bearer_of("cet_x"), "");
  EXPECT_EQ(bearer_of(""), "");
}

TEST_F(known_tokens_test, one_that_is_made_later_is_known) {
  EXPECT_FALSE(known_.are_wanted());
  auto token = make("a");
  EXPECT_TRUE(bearer_of(token).starts_with("a "));
  EXPECT_TRUE(known_.are_wanted());
  EXPECT_EQ(bearer_of(token + "x"), "");
}

TEST_F(known_tokens_test, one_that_is_revoked_is_known_no_more) {
  auto token = make("a");
  auto other = make("b");
  auto bearer = bearer_of(token);
  revoke("a");
  EXPECT_EQ(bearer_of(token), "");
  EXPECT_FALSE(known_.has(bearer));
  EXPECT_TRUE(bearer_of(other).starts_with("b "));
}

TEST_F(known_tokens_test, a_new_one_of_the_same_name_has_another_bearer) {
  auto before = bearer_of(make("a"));
  revoke("a");
  auto after = bearer_of(make("a"));
  EXPECT_NE(before, after);
  EXPECT_FALSE(known_.has(before)) << "what the revoked one began is not taken over";
}

TEST_F(known_tokens_test, the_last_one_that_is_revoked_opens_no_door) {
  auto token = make("a");
  EXPECT_TRUE(known_.are_wanted());
  revoke("a");
  EXPECT_EQ(bearer_of(token), "");
  EXPECT_TRUE(known_.are_wanted());
  EXPECT_TRUE(config::known_tokens{folder_.path()}.are_wanted()) << "nor does the next start";
}

TEST_F(known_tokens_test, a_damaged_file_opens_no_door) {
  auto token = make("a");
  EXPECT_NE(bearer_of(token), "");
  for (auto* name : {"tokens.db-wal", "tokens.db-shm"})
    std::filesystem::remove(folder_.path(name));
  folder_.write("tokens.db", std::string(5'000, 'x'));
  known_.bearer_of(token);
  EXPECT_TRUE(known_.are_wanted());
}

TEST_F(known_tokens_test, a_file_that_is_deleted_has_no_tokens) {
  auto token = make("a");
  EXPECT_NE(bearer_of(token), "");
  for (auto* name : {"tokens.db", "tokens.db-wal", "tokens.db-shm"})
    std::filesystem::remove(folder_.path(name));
  EXPECT_EQ(bearer_of(token), "");
}

TEST_F(known_tokens_test, changes_at_short_intervals_are_all_seen) {
  constexpr int rounds = 40;
  for (int i = 0; i < rounds; ++i) {
    auto token = make("a");
    ASSERT_NE(bearer_of(token), "") << "round " << i;
    revoke("a");
    ASSERT_EQ(bearer_of(token), "") << "round " << i;
  }
}

TEST_F(known_tokens_test, changes_are_seen_while_another_process_has_the_file_open) {
  config::client_tokens open{folder_.path()};
  auto token = open.make("a").value;
  EXPECT_NE(bearer_of(token), "");
  EXPECT_TRUE(open.revoke("a").value);
  EXPECT_EQ(bearer_of(token), "");
}

} // namespace config_known_tokens_test
