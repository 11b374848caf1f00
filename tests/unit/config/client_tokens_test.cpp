#include "config/client_tokens.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <set>

namespace config_client_tokens_test {

using config::client_tokens;

class client_tokens_test : public testing::Test {
protected:
  sqlite::clock clock() {
    return [this] { return std::chrono::system_clock::time_point{std::chrono::seconds{now_s_}}; };
  }
  std::string make(const std::string& name) {
    auto made = tokens_.make(name);
    EXPECT_TRUE(made.ok()) << made.error.message;
    return made.value;
  }
  static config::client_tokens_list list(client_tokens& of) {
    auto all = of.list();
    EXPECT_TRUE(all.ok()) << all.error.message;
    return all.value;
  }

  /// Empty: of none.
  static std::string name_of(const config::client_tokens_list& all, std::string_view token) {
    auto* found = config::find_token(all, token);
    return found ? found->name : std::string{};
  }

  test::folder folder_;
  int64_t now_s_ = 1'700'000'000;
  client_tokens tokens_{folder_.path(), clock()};
};

TEST_F(client_tokens_test, a_new_one_can_be_told_apart_from_other_secrets) {
  std::set<std::string> made;
  for (auto* name : {"a", "b", "c"}) {
    auto token = make(name);
    EXPECT_TRUE(token.starts_with("cet_")) << token;
    EXPECT_GE(token.size(), 36u);
    EXPECT_EQ(token.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), token.npos) << token;
    made.insert(token);
  }
  EXPECT_EQ(made.size(), 3u);
}

TEST_F(client_tokens_test, only_its_digest_is_kept) {
  auto token = make("laptop");
  auto all = list(tokens_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "laptop");
  EXPECT_EQ(all[0].made_s, now_s_);
  EXPECT_EQ(all[0].digest.size(), 64u);
  EXPECT_EQ(all[0].digest.find_first_not_of("0123456789abcdef"), std::string::npos);
  for (auto& entry : std::filesystem::directory_iterator{folder_.path()})
    EXPECT_EQ(test::read(entry.path()).find(token), std::string::npos) << entry.path();
}

TEST_F(client_tokens_test, others_of_this_machine_can_not_read_the_file) {
  make("a");
  auto mode = std::filesystem::status(folder_.path("tokens.db")).permissions();
  auto of_others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  EXPECT_EQ(mode & of_others, std::filesystem::perms::none);
}

TEST_F(client_tokens_test, none_are_listed_before_the_first_and_no_file_is_made) {
  EXPECT_TRUE(list(tokens_).empty());
  auto revoked = tokens_.revoke("a");
  EXPECT_TRUE(revoked.ok());
  EXPECT_FALSE(revoked.value);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(client_tokens_test, all_are_listed_by_name) {
  for (auto* name : {"b", "C", "a.1", "a-1", "_"})
    make(name);
  std::vector<std::string> names;
  for (auto& each : list(tokens_))
    names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"C", "_", "a-1", "a.1", "b"}));
}

TEST_F(client_tokens_test, a_name_is_given_once) {
  auto first = make("a");
  auto second = tokens_.make("a");
  EXPECT_EQ(second.error.code, msg::errc::invalid_argument);
  EXPECT_NE(second.error.message.find("token revoke a"), std::string::npos) << second.error.message;
  EXPECT_EQ(name_of(list(tokens_), first), "a") << "the first one counts on";
}

TEST_F(client_tokens_test, wrong_names_are_refused) {
  for (std::string name : {"", " ", "a b", "é", "a/b", "../a", "a\n", "a'", "a,b", "a:b"}) {
    auto made = tokens_.make(name);
    EXPECT_EQ(made.error.code, msg::errc::invalid_argument) << name;
    EXPECT_NE(made.error.message.find("letters, digits"), std::string::npos) << made.error.message;
  }
  EXPECT_FALSE(tokens_.make(std::string(config::client_token_name_bytes_max + 1, 'a')).ok());
  EXPECT_FALSE(tokens_.make(std::string{"a\0b", 3}).ok());
  EXPECT_TRUE(tokens_.make(std::string(config::client_token_name_bytes_max, 'a')).ok());
  EXPECT_EQ(list(tokens_).size(), 1u);
}

TEST_F(client_tokens_test, a_revoked_one_is_gone) {
  auto token = make("a");
  auto other = make("b");
  EXPECT_TRUE(tokens_.revoke("a").value);
  EXPECT_FALSE(tokens_.revoke("a").value);
  EXPECT_EQ(name_of(list(tokens_), token), "");
  EXPECT_EQ(name_of(list(tokens_), other), "b");
  EXPECT_NE(make("a"), token);
  EXPECT_EQ(name_of(list(tokens_), token), "") << "the name alone does not bring it back";
}

TEST_F(client_tokens_test, only_the_whole_token_counts) {
  auto token = make("a");
  auto all = list(tokens_);
  EXPECT_EQ(name_of(all, token), "a");
  for (auto& wrong : {std::string{}, token + " ", token.substr(1), token.substr(0, token.size() - 1), "a" + token,
                      all[0].digest, std::string{"cet_"}})
    EXPECT_EQ(name_of(all, wrong), "") << wrong;
  EXPECT_EQ(name_of({}, token), "");
}

TEST_F(client_tokens_test, two_processes_see_the_same) {
  client_tokens other{folder_.path(), clock()};
  auto token = make("a");
  EXPECT_EQ(name_of(list(other), token), "a");
  EXPECT_FALSE(other.make("a").ok());
  EXPECT_TRUE(other.make("b").ok());
  EXPECT_TRUE(tokens_.revoke("b").value);
  EXPECT_EQ(list(other).size(), 1u);
}

TEST_F(client_tokens_test, a_damaged_file_is_put_aside_and_no_token_counts) {
  folder_.write("tokens.db", std::string(5'000, 'x'));
  EXPECT_TRUE(list(tokens_).empty());
  EXPECT_NE(tokens_.take_warning().find("no token counts any more"), std::string::npos);
  EXPECT_EQ(tokens_.take_warning(), "");
  make("a");
}

} // namespace config_client_tokens_test
