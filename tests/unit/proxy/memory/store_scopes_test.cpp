// Who is offered what: the scope that wrote it, or all when a person shared it.
#include "proxy/memory/store.hpp"

#include "messages/limits.hpp"
#include "tests/unit/proxy/memory/store_fixture.hpp"

#include <gtest/gtest.h>

namespace memory_store_scopes_test {

using namespace test;
using memory::kept_kind;
using memory::kept_state;
using msg::errc;

const msg::memory_scope ours{"claude-code", "/home/kim/shop"};
const msg::memory_scope other_project{"claude-code", "/home/kim/clone"};
const msg::memory_scope other_client{"cursor", "/home/kim/shop"};

class store_scopes_test : public store_fixture {
protected:
  std::string as(const msg::memory_scope& scope, memory_request r) {
    r.scope = scope;
    return run(r);
  }
  std::string load_as(const msg::memory_scope& scope, std::string key) {
    return as(scope, request(memory_operation::memory_load, std::move(key)));
  }
  std::string tool_as(const msg::memory_scope& scope, std::string name) {
    return as(scope, request(memory_operation::tool_load, std::move(name)));
  }
  memory::kept find(std::string_view name, kept_state state) {
    auto all = store().all();
    for (auto& k : all.value)
      if (k.name == name && k.state == state)
        return k;
    ADD_FAILURE() << name << " is not kept";
    return {};
  }
};

TEST_F(store_scopes_test, what_one_wrote_is_offered_to_no_other) {
  EXPECT_TRUE(as(ours, save_request("k", doc("1"))).starts_with(R"({"saved":true)"));
  EXPECT_TRUE(as(ours, tool_request("f", "def f(): return 1")).starts_with("{"));
  for (auto& other : {other_project, other_client, msg::memory_scope{}}) {
    EXPECT_EQ(load_as(other, "k"), "null");
    EXPECT_EQ(tool_as(other, "f"), "null");
    EXPECT_EQ(as(other, request(memory_operation::memory_list)), "[]");
    EXPECT_EQ(as(other, request(memory_operation::tool_list)), "[]");
    EXPECT_EQ(as(other, request(memory_operation::memory_delete, "k")), "false");
    EXPECT_EQ(as(other, request(memory_operation::tool_delete, "f")), "false");
  }
  EXPECT_NE(load_as(ours, "k"), "null");
  EXPECT_NE(tool_as(ours, "f"), "null");
}

TEST_F(store_scopes_test, each_has_names_of_its_own) {
  as(ours, save_request("k", doc("1")));
  EXPECT_TRUE(as(other_project, save_request("k", doc("2"), 0)).starts_with(R"({"saved":true)")) << "there is none yet";
  EXPECT_EQ(value(load_as(ours, "k")).at("value"), 1);
  EXPECT_EQ(value(load_as(other_project, "k")).at("value"), 2);
  EXPECT_EQ(as(other_project, request(memory_operation::memory_delete, "k")), "true");
  EXPECT_EQ(value(load_as(ours, "k")).at("value"), 1);
}

TEST_F(store_scopes_test, what_is_shared_is_a_copy_for_all) {
  as(ours, tool_request("f", "good"));
  as(ours, save_request("k", doc("1")));
  EXPECT_EQ(store().share(find("f", kept_state::own)).code, errc::none);
  EXPECT_EQ(store().share(find("k", kept_state::own)).code, errc::none);
  as(ours, tool_request("f", "changed behind the person's back"));
  auto shared = value(tool_as(other_client, "f"));
  EXPECT_EQ(shared.at("source"), "good");
  EXPECT_EQ(shared.at("shared"), true);
  EXPECT_EQ(value(load_as(other_client, "k")).at("value"), 1);
  EXPECT_EQ(value(as(other_client, request(memory_operation::memory_list))).as_array().size(), 1u);
  EXPECT_EQ(value(as(other_client, request(memory_operation::tool_list))).at(0).at("shared"), true);
  auto own = value(tool_as(ours, "f"));
  EXPECT_FALSE(own.as_object().contains("shared")) << "its own hides what is shared";
  EXPECT_EQ(value(as(ours, request(memory_operation::tool_list))).as_array().size(), 1u) << "once";
  EXPECT_EQ(as(other_client, request(memory_operation::tool_delete, "f")), "false") << "a person has shared it";
}

TEST_F(store_scopes_test, writing_what_is_shared_makes_one_of_its_own) {
  as(ours, save_request("k", doc("1")));
  store().share(find("k", kept_state::own));
  auto version = value(load_as(other_client, "k")).at("version").as_int64();
  EXPECT_TRUE(as(other_client, save_request("k", doc("2"), 0)).starts_with(R"({"saved":false)")) << "it sees one";
  EXPECT_TRUE(as(other_client, save_request("k", doc("2"), version)).starts_with(R"({"saved":true)"));
  EXPECT_EQ(value(load_as(other_client, "k")).at("value"), 2);
  EXPECT_EQ(value(load_as(other_project, "k")).at("value"), 1);
  as(other_client, request(memory_operation::memory_delete, "k"));
  EXPECT_EQ(value(load_as(other_client, "k")).at("value"), 1) << "the shared one is there again";
}

TEST_F(store_scopes_test, what_is_shared_can_be_taken_back_and_replaced) {
  as(ours, save_request("k", doc("1")));
  store().share(find("k", kept_state::own));
  as(ours, save_request("k", doc("2")));
  store().share(find("k", kept_state::own));
  EXPECT_EQ(value(load_as(other_client, "k")).at("value"), 2);
  EXPECT_EQ(store().content(find("k", kept_state::shared)).value, "2");
  EXPECT_EQ(store().take_back(find("k", kept_state::shared)).code, errc::none);
  EXPECT_EQ(load_as(other_client, "k"), "null");
  EXPECT_EQ(value(load_as(ours, "k")).at("value"), 2);
}

TEST_F(store_scopes_test, what_a_person_looked_at_is_what_is_shared) {
  as(ours, tool_request("f", "good"));
  auto seen = find("f", kept_state::own);
  as(ours, tool_request("f", "bad"));
  EXPECT_EQ(store().share(seen).code, errc::unknown_handle);
  EXPECT_EQ(tool_as(other_client, "f"), "null");
  EXPECT_EQ(store().content(seen).error.code, errc::unknown_handle);
}

TEST_F(store_scopes_test, one_scope_does_not_fill_another) {
  run(request(memory_operation::memory_list));
  insert_rows(file(),
              "INSERT INTO memory SELECT CAST('cursor' AS BLOB), CAST('/home/kim/shop' AS BLOB), 0, CAST('k' || i AS "
              "BLOB), X'31', X'6E756C6C', "
              "i, 6, X'', X'' FROM n",
              msg::limits::memory_keys_max);
  EXPECT_TRUE(as(ours, save_request("k", doc("1"))).starts_with(R"({"saved":true)"));
  EXPECT_TRUE(as(other_client, save_request("new", doc("1"))).starts_with("limit_exceeded"));
}

TEST_F(store_scopes_test, a_file_of_the_first_format_is_kept_and_offered_to_nobody) {
  std::filesystem::create_directories(folder());
  folder_.write("state/memory.db", "");
  {
    sqlite::database old;
    old.open(file());
    old.execute(
      "CREATE TABLE memory(key BLOB PRIMARY KEY, value BLOB NOT NULL, metadata BLOB NOT NULL, version INTEGER NOT NULL,"
      " bytes INTEGER NOT NULL, created_at BLOB NOT NULL, updated_at BLOB NOT NULL);"
      "CREATE TABLE tools(name BLOB PRIMARY KEY, source BLOB NOT NULL, description BLOB NOT NULL,"
      " bytes INTEGER NOT NULL, updated_at BLOB NOT NULL);"
      "CREATE TABLE counter(last_version INTEGER NOT NULL); CREATE INDEX memory_bytes ON memory(bytes);"
      "CREATE INDEX tools_bytes ON tools(bytes); INSERT INTO counter VALUES(7);"
      "INSERT INTO memory VALUES(CAST('k' AS BLOB), CAST('1' AS BLOB), CAST('null' AS BLOB), 7, 6, X'', X'');"
      "INSERT INTO tools VALUES(CAST('f' AS BLOB), CAST('good' AS BLOB), X'', 5, X'');"
      "PRAGMA application_id = 1131373637; PRAGMA user_version = 1");
    ASSERT_TRUE(old.ok()) << old.problem();
  }
  EXPECT_EQ(load_as(ours, "k"), "null");
  EXPECT_EQ(load_as({}, "k"), "null") << "nobody, not even one without a name";
  EXPECT_TRUE(damaged_files().empty());
  auto warning = store().take_warning();
  EXPECT_NE(warning.find("1 memory keys and 1 saved tools"), std::string::npos) << warning;
  EXPECT_EQ(store().take_warning(), "");
  EXPECT_EQ(store().share(find("f", kept_state::unclaimed)).code, errc::none);
  EXPECT_EQ(value(tool_as(ours, "f")).at("source"), "good");
  EXPECT_EQ(value(as(ours, save_request("k", doc("2")))).at("version"), 8) << "versions go on";
}

TEST_F(store_scopes_test, a_person_sees_all_of_it) {
  EXPECT_TRUE(store().all().value.empty());
  EXPECT_FALSE(std::filesystem::exists(file())) << "looking makes nothing";
  as(ours, save_request("k", doc("1")));
  as(other_client, tool_request("f", "source"));
  auto all = store().all();
  ASSERT_EQ(all.value.size(), 2u);
  EXPECT_EQ(all.value[0].scope, ours);
  EXPECT_EQ(all.value[1].scope, other_client);
  EXPECT_EQ(all.value[1].kind, kept_kind::tool);
  EXPECT_EQ(store().content(all.value[1]).value, "source");
}

} // namespace memory_store_scopes_test
