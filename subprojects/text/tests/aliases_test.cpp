#include "text/aliases.hpp"

#include "testing/values.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace text_aliases_test {

std::vector<std::string_view> views(const boost::json::value& list) {
  std::vector<std::string_view> out;
  for (auto& text : list.as_array())
    out.emplace_back(std::string_view{text.as_string()});
  return out;
}

// The guests' own count is tested with the same table.
TEST(unique_aliases, are_those_of_the_table) {
  std::ostringstream text;
  text << std::ifstream{TESTS_FOLDER "/aliases.json"}.rdbuf();
  auto table = test::value(text.str());
  ASSERT_GE(table.as_array().size(), 9u);
  for (auto& row : table.as_array()) {
    auto got = text::unique_aliases(views(row.at("names")));
    std::vector<std::string_view> camel, snake;
    for (auto& a : got) {
      camel.emplace_back(a.camel);
      snake.emplace_back(a.snake);
    }
    EXPECT_EQ(camel, views(row.at("camel"))) << row.at("names").at(0).as_string().c_str();
    EXPECT_EQ(snake, views(row.at("snake"))) << row.at("names").at(0).as_string().c_str();
  }
}

TEST(unique_aliases, are_unique_whatever_the_names) {
  test::random_values random{5};
  for (int i = 0; i < 2'000; ++i) {
    std::set<std::string> names;
    while (names.size() < 6)
      names.insert(random.text(3));
    std::vector<std::string_view> list{names.begin(), names.end()};
    auto got = text::unique_aliases(list);
    std::map<std::string, size_t> owner;
    for (size_t n = 0; n < list.size(); ++n)
      for (auto& name : {std::string{list[n]}, got[n].camel, got[n].snake}) {
        EXPECT_EQ(owner.emplace(name, n).first->second, n) << name;
        EXPECT_FALSE(name.empty() && !list[n].empty());
      }
  }
}

TEST(unique_aliases, of_many_alike_take_no_time) {
  std::vector<std::string> names;
  for (size_t i = 0; i < 20'000; ++i)
    names.push_back("a" + std::string(i % 500, '-'));
  auto got = text::unique_aliases({names.begin(), names.end()});
  EXPECT_EQ(got.size(), names.size());
  EXPECT_NE(got.back().camel, got.front().camel);
}

} // namespace text_aliases_test
