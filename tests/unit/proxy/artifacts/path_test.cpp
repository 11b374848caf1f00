#include "proxy/artifacts/path.hpp"

#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace outputs_path_test {

using msg::errc;

const auto root = test::value(
  R"({"items":[{"name":"a","tags":["x","y"]},{"name":"b"}],"a.b":{"c/d":1,"~":2,"":3},"it's":{"]":4},"0":"zero","n":null})");

std::string at(std::string_view path) {
  auto found = artifacts::find(root, path);
  return found.ok() ? text::to_text(*found.value) : "error: " + found.error.message;
}

TEST(path, dotted_and_bracketed) {
  for (auto [path, expected] :
       std::initializer_list<std::pair<const char*, const char*>>{{"items[0].name", "\"a\""},
                                                                  {"items[1]", R"({"name":"b"})"},
                                                                  {"items.0.tags.1", "\"y\""},
                                                                  {"items[-1].name", "\"b\""},
                                                                  {"items[0]['tags'][0]", "\"x\""},
                                                                  {R"(["a.b"]["c/d"])", "1"},
                                                                  {R"(["it's"]["]"])", "4"},
                                                                  {"$.items[1].name", "\"b\""},
                                                                  {"$['items'][1].name", "\"b\""},
                                                                  {".items[1].name", "\"b\""},
                                                                  {"[0]", "\"zero\""},
                                                                  {"n", "null"}})
    EXPECT_EQ(at(path), expected) << path;
  EXPECT_EQ(at(""), text::to_text(root));
  EXPECT_EQ(at("$"), text::to_text(root));
}

TEST(path, json_pointers) {
  for (auto [path, expected] :
       std::initializer_list<std::pair<const char*, const char*>>{{"/items/0/name", "\"a\""},
                                                                  {"/items/1", R"({"name":"b"})"},
                                                                  {"/a.b/c~1d", "1"},
                                                                  {"/a.b/~0", "2"},
                                                                  {"/a.b/", "3"},
                                                                  {"/n", "null"}})
    EXPECT_EQ(at(path), expected) << path;
}

TEST(path, says_how_far_it_leads) {
  for (auto [path, expected] : std::initializer_list<std::pair<const char*, const char*>>{
         {"items[0].nam", "there is no field 'nam' in 'items.0'; its fields: name, tags"},
         {"item", "there is no field 'item' in the value; its fields: items, a.b, it's, 0, n"},
         {"items.name", "'items' is a list of 2: expected an index, not 'name'"},
         {"items[2]", "'items' has 2 elements: there is no [2]"},
         {"items[-3]", "there is no [-3]"},
         {"items[99999999999999999999]", "expected an index"},
         {"items[1.5]", "expected an index"},
         {"items[0].name.first", "'items.0.name' has no parts"},
         {"items[0", "a bracket is not closed"},
         {"items['0]", "a bracket is not closed"},
         {"items[]", "a name is missing"},
         {"items..name", "a name is missing"},
         {"items.", "a name is missing"}})
    EXPECT_NE(at(path).find(expected), std::string::npos) << path << ": " << at(path);
  EXPECT_EQ(artifacts::find(root, "items[0].nam").error.suggestions.front(), "name");
  EXPECT_EQ(artifacts::find(root, std::string(10'000, 'a')).error.code, errc::invalid_argument);
}

TEST(path, takes_any_text) {
  for (uint64_t seed = 1; seed <= 5'000; ++seed) {
    test::random_values random{seed};
    std::string path;
    for (auto n = random.below(20); n > 0; --n)
      path += std::string_view{"[]'\".$/~0-\\\xff items"}[random.below(19)];
    auto found = artifacts::find(root, path);
    EXPECT_TRUE(found.ok() || test::is_valid_utf8(found.error.message)) << "seed " << seed;
  }
}

} // namespace outputs_path_test
