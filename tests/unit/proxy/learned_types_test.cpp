#include "proxy/discovery.hpp"

#include "sqlite/database.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace proxy_learned_types_test {

using msg::catalog_operation;
using test::doc;

class learned_types : public testing::Test {
protected:
  std::unique_ptr<proxy::discovery> begin() {
    msg::server_entry entry;
    entry.name = "kid";
    entry.command = "kid";
    auto d = std::make_unique<proxy::discovery>(
      folder_, std::vector{entry}, msg::name_policy{}, catalog::changed_tools::unwatched,
      types::private_things{[](std::string_view text) { return text.starts_with("ghp_"); }, {}});
    msg::catalog_request update;
    update.operation = catalog_operation::update;
    update.entries = {entry};
    update.tools = {{"kid", "count", "Counts.", doc(R"({"name":"count","inputSchema":{"type":"object"}})"), {}}};
    EXPECT_EQ(d->answer(update).error.message, "");
    return d;
  }
  static void learn(proxy::discovery& d, const char* result) {
    msg::catalog_request r;
    r.operation = catalog_operation::observe;
    r.server = "kid";
    r.tool = "count";
    r.value = doc(result);
    EXPECT_EQ(d.answer(r).error.message, "") << result;
  }
  static std::string schema(proxy::discovery& d) {
    msg::catalog_request r;
    r.operation = catalog_operation::observed;
    r.server = "kid";
    r.tool = "count";
    return d.answer(r).schema.text();
  }

  test::folder place_;
  std::string folder_ = place_.path("state");
};

TEST_F(learned_types, nothing_is_known_at_first) {
  auto d = begin();
  EXPECT_EQ(schema(*d), "null");
}

TEST_F(learned_types, results_are_merged_and_survive_a_restart) {
  {
    auto d = begin();
    learn(*d, R"({"n": 1, "note": null})");
    learn(*d, R"({"n": 2.5})");
  }
  auto d = begin();
  auto known = test::value(schema(*d)).as_object();
  EXPECT_EQ(known.at("x-observed").at("samples").as_int64(), 2);
  EXPECT_EQ(known.at("properties").at("n").at("type").as_string(), "number");
  EXPECT_EQ(boost::json::serialize(known.at("required")), R"(["n"])");
}

TEST_F(learned_types, without_a_folder_they_are_kept_as_long_as_the_server_runs) {
  folder_.clear();
  auto d = begin();
  for (int i = 0; i < 100; ++i)
    learn(*d, R"(["a"])");
  EXPECT_EQ(test::value(schema(*d)).at("x-observed").at("samples").as_int64(), 100);
}

/// Ours, with a file that was not closed.
bool is_in_files(const std::string& folder, const std::string& text) {
  for (auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream in{entry.path(), std::ios::binary};
    std::string all{std::istreambuf_iterator<char>{in}, {}};
    if (all.find(text) != all.npos)
      return true;
  }
  return false;
}

TEST_F(learned_types, values_of_results_are_not_in_the_file) {
  auto d = begin();
  for (int i = 0; i < 8; ++i)
    learn(*d, R"({"assignee": "QuiteRareName", "ghp_16C7e42F292c6912E7710c838347Ae178B4a": 1, "kim@example.com": 2})");
  EXPECT_EQ(schema(*d).find("QuiteRareName"), std::string::npos);
  d.reset();
  EXPECT_TRUE(is_in_files(folder_, "assignee")) << "the shape is";
  for (auto text : {"QuiteRareName", "ghp_16C7", "kim@example"})
    EXPECT_FALSE(is_in_files(folder_, text)) << text;
}

TEST_F(learned_types, what_an_older_version_has_stored_is_gone) {
  begin().reset();
  {
    sqlite::database old;
    old.open(folder_ + "/catalog.db");
    old.execute(
      "INSERT INTO observed SELECT id, CAST('count' AS BLOB), CAST('{\"format\":1,\"shape\":{\"string\":1,\"values\":"
      "{\"QuiteRareName\":1}}}' AS BLOB), 1, 1, 1 FROM servers");
    old.execute("PRAGMA user_version = 1");
    old.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    ASSERT_TRUE(old.ok()) << old.problem();
  }
  ASSERT_TRUE(is_in_files(folder_, "QuiteRareName"));
  auto d = begin();
  EXPECT_EQ(schema(*d), "null");
  EXPECT_FALSE(is_in_files(folder_, "QuiteRareName")) << "not even in a page that is free";
}

} // namespace proxy_learned_types_test
