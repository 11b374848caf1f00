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

  test::folder folder_;
  config::known_tokens known_{folder_.path()};
};

TEST_F(known_tokens_test, there_are_none_at_first) {
  EXPECT_FALSE(known_.has_any());
  EXPECT_FALSE(known_.has("a"));
  EXPECT_EQ(known_.name_of("cet_x"), "");
  EXPECT_EQ(known_.name_of(""), "");
}

TEST_F(known_tokens_test, one_that_is_made_later_is_known) {
  EXPECT_FALSE(known_.has_any());
  auto token = make("a");
  EXPECT_EQ(known_.name_of(token), "a");
  EXPECT_TRUE(known_.has("a"));
  EXPECT_TRUE(known_.has_any());
  EXPECT_EQ(known_.name_of(token + "x"), "");
}

TEST_F(known_tokens_test, one_that_is_revoked_is_known_no_more) {
  auto token = make("a");
  auto other = make("b");
  EXPECT_EQ(known_.name_of(token), "a");
  revoke("a");
  EXPECT_EQ(known_.name_of(token), "");
  EXPECT_FALSE(known_.has("a"));
  EXPECT_EQ(known_.name_of(other), "b");
}

TEST_F(known_tokens_test, the_last_one_that_is_revoked_opens_no_door) {
  auto token = make("a");
  EXPECT_TRUE(known_.has_any());
  revoke("a");
  EXPECT_EQ(known_.name_of(token), "");
  EXPECT_TRUE(known_.has_any());
}

TEST_F(known_tokens_test, a_file_that_is_deleted_has_no_tokens) {
  auto token = make("a");
  EXPECT_EQ(known_.name_of(token), "a");
  for (auto* name : {"tokens.db", "tokens.db-wal", "tokens.db-shm"})
    std::filesystem::remove(folder_.path(name));
  EXPECT_EQ(known_.name_of(token), "");
  EXPECT_TRUE(known_.has_any());
}

TEST_F(known_tokens_test, changes_at_short_intervals_are_all_seen) {
  constexpr int rounds = 40;
  for (int i = 0; i < rounds; ++i) {
    auto token = make("a");
    ASSERT_EQ(known_.name_of(token), "a") << "round " << i;
    revoke("a");
    ASSERT_EQ(known_.name_of(token), "") << "round " << i;
  }
}

TEST_F(known_tokens_test, changes_are_seen_while_another_process_has_the_file_open) {
  config::client_tokens open{folder_.path()};
  auto token = open.make("a");
  EXPECT_EQ(known_.name_of(token.value), "a");
  EXPECT_TRUE(open.revoke("a").value);
  EXPECT_EQ(known_.name_of(token.value), "");
}

} // namespace config_known_tokens_test
