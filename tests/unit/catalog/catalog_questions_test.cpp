// Questions that take long: they end, and the same is not begun again.
#include "catalog/catalog.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace catalog_questions_test {

using msg::errc;

class catalog_questions_test : public testing::Test {
protected:
  catalog_questions_test() {
    std::vector<msg::server_entry> servers;
    for (size_t i = 0; i < servers_count; ++i)
      servers.emplace_back().name = "s" + std::to_string(i);
    tools_ = std::make_unique<catalog::tool_catalog>("", servers, [this](auto&) {
      return [this](const std::string&, std::string_view) {
        ++asked_;
        return true;
      };
    });
  }
  /// After `looks` looks it has taken too long, or is cancelled.
  msg::outcome<msg::catalog_found> search(const std::string& text, size_t looks, msg::tool_filter filter,
                                          errc why = errc::limit_exceeded) {
    asked_ = 0;
    auto stops = [=]() mutable { return looks-- > 0 ? msg::fault{} : msg::fault{why, "ends"}; };
    return tools_->search({text, "", 0, std::move(filter)}, stops, so_far_);
  }
  /// One turn of it.
  msg::catalog_found list(const std::string& server) { return tools_->search({"", server, 0, {}}, {}, so_far_).value; }
  void tell(const std::string& server, size_t count, const std::string& prefix) {
    msg::tool_list tools;
    for (size_t i = 0; i < count; ++i) {
      auto name = prefix + std::to_string(i);
      tools.push_back({server, name, "", test::doc(R"({"name":")" + name + R"("})")});
    }
    tools_->update(server, tools);
  }
  static msg::tool_filter pattern(const std::string& text) { return {false, {text}, {}}; }

  static constexpr size_t servers_count = 1'000, enough = 1'000'000;
  size_t asked_ = 0; ///< names held against the filter
  std::unique_ptr<catalog::tool_catalog> tools_;
  catalog::tool_catalog::progress so_far_;
};

TEST_F(catalog_questions_test, end_among_servers_that_were_never_indexed) {
  EXPECT_EQ(search("a", 3, pattern("x*")).error.code, errc::limit_exceeded);
  EXPECT_LE(asked_, servers_count / 10);
  EXPECT_EQ(search("a", enough, pattern("x*")).error.code, errc::limit_exceeded) << "the same filter again";
  EXPECT_EQ(asked_, 0u);
  EXPECT_TRUE(search("a", enough, pattern("y*")).ok());
  EXPECT_EQ(asked_, servers_count);
}

TEST_F(catalog_questions_test, end_among_servers_that_they_name) {
  std::string all;
  for (size_t i = 0; i < servers_count; ++i) {
    auto name = "s" + std::to_string(i);
    tools_->update(name, {{name, "t", "", test::doc(R"({"name":"t"})")}});
    all += name + " ";
  }
  // Now it is known which tools may be used.
  ASSERT_EQ(search(all, enough, pattern("x*")).value.named.size(), servers_count);
  EXPECT_EQ(search(all, 3, pattern("x*")).error.code, errc::limit_exceeded);
  EXPECT_LE(asked_, servers_count / 10);
  EXPECT_EQ(search(all, enough, pattern("x*")).error.code, errc::limit_exceeded);
  EXPECT_EQ(asked_, 0u);
}

TEST_F(catalog_questions_test, that_were_cancelled_may_be_asked_again) {
  EXPECT_EQ(search("a", 3, pattern("x*"), errc::cancelled).error.code, errc::cancelled);
  auto again = search("a", enough, pattern("x*"));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value.matches.not_indexed.size(), servers_count);
}

TEST_F(catalog_questions_test, a_long_list_takes_several_turns) {
  tell("s1", 2'500, "t");
  tell("s2", 1, "other");
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(list("s1").matches.tools.empty());
    ASSERT_NE(so_far_, nullptr);
    EXPECT_EQ(search_to_the_end(*tools_, {"", "s2", 0, {}}).matches.tools.size(), 1u)
      << "others are answered meanwhile";
  }
  auto all = list("s1");
  EXPECT_EQ(so_far_, nullptr);
  EXPECT_EQ(all.matches.total, 2'500u);
  ASSERT_EQ(all.matches.tools.size(), 2'500u);
  EXPECT_EQ(all.matches.tools.front().name, "t0");
  EXPECT_EQ(all.matches.tools.back().name, "t999");
}

TEST_F(catalog_questions_test, a_list_ends_with_its_run) {
  tell("s1", 2'500, "t");
  list("s1");
  ASSERT_NE(so_far_, nullptr);
  auto ended = search("", 0, {}, errc::cancelled);
  EXPECT_EQ(ended.error.code, errc::cancelled);
  EXPECT_EQ(so_far_, nullptr);
}

TEST_F(catalog_questions_test, large_definitions_make_short_turns) {
  msg::tool_list tools;
  for (auto* name : {"a", "b", "c"})
    tools.push_back({"s1", name, "", msg::document{boost::json::value(std::string(700'000, 'x'))}});
  tools_->update("s1", tools);
  list("s1");
  EXPECT_NE(so_far_, nullptr);
  EXPECT_EQ(list("s1").matches.tools.size(), 3u);
  EXPECT_EQ(so_far_, nullptr);
}

TEST_F(catalog_questions_test, a_list_stays_what_it_was_when_it_was_begun) {
  tell("s1", 1'500, "t");
  list("s1");
  tell("s1", 2, "new");
  tell("s2", 3'000, "other");
  auto all = list("s1");
  EXPECT_EQ(so_far_, nullptr);
  EXPECT_EQ(all.matches.tools.size(), 1'500u) << "nothing is written here, so the old list is still at hand";
}

} // namespace catalog_questions_test
