#include "oauth_client/scopes.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace scopes_test {

TEST(scopes, are_split_without_what_can_be_none) {
  EXPECT_EQ(split_scopes(" a  b a c\"d e\\f "), (scope_list{"a", "b"}));
  EXPECT_EQ(split_scopes(std::string(scope_bytes_max + 1, 'x') + " y"), scope_list{"y"});
  std::string many;
  for (int i = 0; i < 1'000; ++i)
    many += std::to_string(i) + " ";
  EXPECT_EQ(split_scopes(many).size(), scopes_max);
  EXPECT_EQ(join_scopes({"a", "b"}), "a b");
}

TEST(scopes, are_chosen_by_whose_word_counts_more) {
  scope_sources from;
  EXPECT_TRUE(choose_scopes(from).empty());
  from.of_issuer = {"offline_access", "x"};
  EXPECT_TRUE(choose_scopes(from).empty()) << "offline_access alone asks for nothing";
  from.of_resource = {"r1", "r2"};
  EXPECT_EQ(choose_scopes(from), (scope_list{"r1", "r2", "offline_access"}));
  from.challenged = {"c"};
  EXPECT_EQ(choose_scopes(from), (scope_list{"c", "offline_access"}));
  from.of_issuer = {};
  EXPECT_EQ(choose_scopes(from), (scope_list{"c"}));
  from.configured = {"mine"};
  EXPECT_EQ(choose_scopes(from), (scope_list{"mine"}));
  from.earlier_asked = {"mine", "more"};
  EXPECT_EQ(choose_scopes(from), (scope_list{"mine", "more"})) << "step-up";
}

} // namespace scopes_test
} // namespace oauth
