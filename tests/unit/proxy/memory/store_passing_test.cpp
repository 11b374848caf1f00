// Owners that do not come back: what they have kept ends with them, and takes no room of others.
#include "proxy/memory/passing_owners.hpp"
#include "proxy/memory/store.hpp"

#include "tests/unit/proxy/memory/store_fixture.hpp"

#include <gtest/gtest.h>

namespace memory_store_passing_test {

using namespace test;
using memory::kept_kind;
using memory::kept_state;
using msg::errc;

const std::string session_a = "session " + std::string(32, 'a');
const std::string session_b = "session " + std::string(32, 'b');
const msg::memory_scope passing{session_a, "/home/kim/shop"};
const msg::memory_scope also_passing{session_b, "/home/kim/shop"};
const msg::memory_scope by_connection{"connection 9f3-7", "/home/kim/shop"};
const msg::memory_scope staying{"token laptop", "/home/kim/shop"};
const msg::memory_scope program{"claude-code", "/home/kim/shop"};

TEST(passing_owners, are_known_by_their_names) {
  for (auto* name : {"connection 1", "connection 123456", "connection 0a9f-12"})
    EXPECT_TRUE(memory::is_passing(name)) << name;
  EXPECT_TRUE(memory::is_passing(session_a));
  for (auto* name : {"", "session ", "connection ", "session manager", "connection pool", "connection x 1", "token 1",
                     "claude-code", "connection", "a connection 1"})
    EXPECT_FALSE(memory::is_passing(name)) << name;
  EXPECT_FALSE(memory::is_passing(session_a + "a"));
}

TEST(passing_owners, have_names_of_no_program) {
  EXPECT_EQ(memory::passing_free_name("token a"), "program token a");
  EXPECT_EQ(memory::passing_free_name("claude-code"), "claude-code");
  for (auto& name : {std::string{"connection 1"}, session_a})
    EXPECT_FALSE(memory::is_passing(memory::passing_free_name(name))) << name;
}

class store_passing_test : public store_fixture {
protected:
  static std::string as(memory::store& in, const msg::memory_scope& scope, memory_request r) {
    r.scope = scope;
    return run(in, r);
  }
  std::string as(const msg::memory_scope& scope, memory_request r) { return as(store(), scope, std::move(r)); }
  std::string save_as(const msg::memory_scope& scope, std::string key) {
    return as(scope, save_request(std::move(key), doc("1")));
  }
  std::string save_tool_as(const msg::memory_scope& scope, std::string name) {
    return as(scope, tool_request(std::move(name), "source"));
  }
  /// "client name", of what is kept.
  strings left(memory::store& in) {
    strings out;
    for (auto& k : in.all().value)
      out.push_back(k.scope.client + " " + k.name);
    std::sort(out.begin(), out.end());
    return out;
  }
  strings left() { return left(store()); }
  /// One row that says it had so many bytes.
  void insert_large(const std::string& client, size_t bytes) {
    insert_rows(file(),
                "INSERT INTO memory SELECT CAST('" + client + "' AS BLOB), X'70', 0, X'6B', X'31', X'6E756C6C', 1, "
                  + std::to_string(bytes) + ", X'', X'' FROM n",
                1);
  }
};

TEST_F(store_passing_test, what_they_kept_ends_with_them) {
  for (auto& scope : {passing, also_passing, by_connection, staying, program}) {
    save_as(scope, "k");
    save_tool_as(scope, "f");
  }
  EXPECT_EQ(store().ended(passing).code, errc::none);
  EXPECT_EQ(store().ended(by_connection).code, errc::none);
  EXPECT_EQ(store().ended(staying).code, errc::none) << "it comes back";
  EXPECT_EQ(left(), (strings{"claude-code f", "claude-code k", session_b + " f", session_b + " k", "token laptop f",
                             "token laptop k"}));
}

TEST_F(store_passing_test, what_a_person_shared_of_them_stays) {
  save_as(passing, "k");
  for (auto& k : store().all().value)
    EXPECT_EQ(store().share(k).code, errc::none);
  store().ended(passing);
  EXPECT_EQ(value(as(program, request(memory_operation::memory_load, "k"))).at("value"), 1);
  EXPECT_EQ(left().size(), 1u);
}

TEST_F(store_passing_test, what_their_programs_save_late_is_refused) {
  save_as(passing, "k");
  store().ended(passing);
  EXPECT_TRUE(save_as(passing, "late").starts_with("cancelled")) << save_as(passing, "late");
  EXPECT_TRUE(save_tool_as(passing, "late").starts_with("cancelled"));
  EXPECT_EQ(left(), strings{});
  store().began(passing.client);
  EXPECT_TRUE(save_as(passing, "k").starts_with(R"({"saved":true)")) << "a connection may bring another client";
}

TEST_F(store_passing_test, what_can_not_be_deleted_now_is_deleted_later) {
  save_as(passing, "k");
  {
    sqlite::database writer;
    writer.open(file());
    writer.execute("BEGIN IMMEDIATE");
    EXPECT_EQ(store().ended(passing).code, errc::overloaded);
    writer.execute("ROLLBACK");
  }
  as(program, request(memory_operation::memory_list));
  EXPECT_EQ(left(), strings{});
}

TEST_F(store_passing_test, what_a_server_that_was_killed_left_is_swept_at_the_start) {
  run(request(memory_operation::memory_list));
  for (auto& client : {session_a, session_b, by_connection.client, staying.client, program.client})
    insert_large(client, 6);
  insert_rows(
    file(), "INSERT INTO tools SELECT CAST('connection ' || i AS BLOB), X'70', 0, X'66', X'', X'', 1, X'' FROM n", 200);
  memory::store next{folder(), ticking()};
  EXPECT_EQ(next.sweep().code, errc::none);
  EXPECT_EQ(left(next), (strings{"claude-code k", "token laptop k"}));
}

TEST_F(store_passing_test, what_living_owners_of_another_server_have_is_not_swept) {
  save_as(passing, "k");
  {
    memory::store next{folder(), ticking()};
    EXPECT_EQ(next.sweep().code, errc::none);
    EXPECT_EQ(left(next), strings{session_a + " k"});
  }
  store_.reset(); // killed
  memory::store last{folder(), ticking()};
  as(last, program, request(memory_operation::memory_list));
  EXPECT_EQ(left(last), strings{}) << "the first request sweeps";
  EXPECT_TRUE(as(last, passing, save_request("k", doc("1"))).starts_with(R"({"saved":true)"));
}

TEST_F(store_passing_test, they_have_one_quota_together_and_others_the_rest) {
  constexpr auto half = memory::passing_bytes_max / 2;
  save_as(program, "k");
  save_as(passing, "k"); // from now on nothing is swept
  insert_large("connection 1", half);
  insert_large("connection 2", half - 100);
  EXPECT_TRUE(save_as(also_passing, "fits").starts_with(R"({"saved":true)"));
  auto large = tool_request("f", std::string(100, 'x'));
  auto refused = as(also_passing, large);
  EXPECT_TRUE(refused.starts_with("limit_exceeded")) << refused;
  for (auto* word : {"128 MiB", "without a token", "token new", "memory delete"})
    EXPECT_NE(refused.find(word), refused.npos) << refused;
  for (auto& scope : {staying, program, msg::memory_scope{"connection pool", ""}})
    EXPECT_FALSE(as(scope, large).starts_with("limit_exceeded"));
  store().ended(passing);
  store().ended({"connection 1", "p"});
  EXPECT_FALSE(as(also_passing, large).starts_with("limit_exceeded")) << "there is room again";
}

TEST_F(store_passing_test, a_full_store_says_how_to_make_room) {
  run(request(memory_operation::memory_list));
  insert_large(program.client, msg::limits::memory_file_bytes_max);
  auto refused = save_as(staying, "k");
  EXPECT_TRUE(refused.starts_with("limit_exceeded") && refused.find("memory delete") != refused.npos) << refused;
}

TEST_F(store_passing_test, a_person_deletes_what_is_still_as_it_was) {
  save_as(program, "a");
  save_as(program, "b");
  save_tool_as(staying, "f");
  auto seen = store().all().value;
  save_as(program, "b"); // anew
  auto gone = store().remove(seen);
  ASSERT_TRUE(gone.ok());
  ASSERT_EQ(gone.value.size(), 2u);
  EXPECT_EQ(gone.value[0].name, "a");
  EXPECT_EQ(gone.value[1].kind, kept_kind::tool);
  EXPECT_EQ(left(), strings{"claude-code b"});
}

} // namespace memory_store_passing_test
