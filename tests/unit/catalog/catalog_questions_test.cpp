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
    return tools_->search({text, "", 0, std::move(filter)}, [=]() mutable {
      return looks-- > 0 ? msg::fault{} : msg::fault{why, "ends"};
    });
  }
  static msg::tool_filter pattern(const std::string& text) { return {false, {text}, {}}; }

  static constexpr size_t servers_count = 1'000, enough = 1'000'000;
  size_t asked_ = 0; ///< names held against the filter
  std::unique_ptr<catalog::tool_catalog> tools_;
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

} // namespace catalog_questions_test
