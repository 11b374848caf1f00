#include "catalog/pinning/approvals.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include <sys/stat.h>

namespace trust_approvals_test {

namespace fs = std::filesystem;
using tool_pinning::approvals;
using tool_pinning::changes;

msg::server_entry entry(const std::string& name, const std::string& source = "/mcp.json") {
  msg::server_entry e;
  e.name = name;
  e.command = "c";
  e.source = source;
  return e;
}

msg::tool_info tool(const std::string& name, const std::string& description = "does",
                    const std::string& schema = R"({"type":"object"})") {
  return {"s", name, description, test::doc(R"({"name":")" + name + R"(","inputSchema":)" + schema + "}")};
}

class approvals_test : public testing::Test {
protected:
  approvals make() const { return approvals{folder.path("state")}; }
  static changes review(approvals& a, const msg::server_entry& server, const msg::tool_list& tools,
                        const std::string& content = "c") {
    auto found = a.review(server, content, tools);
    EXPECT_EQ(found.error.message, "");
    return found.value;
  }
  std::string file() const { return folder.path("state") + "/approvals.db"; }

  test::folder folder;
};

TEST_F(approvals_test, the_first_list_is_approved_and_a_later_one_is_held_against_it) {
  auto a = make();
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("y")}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x", "does evil"), tool("y")}),
            (changes{{"x", "its description has changed since it was approved"}}));
  EXPECT_EQ(review(a, entry("s"), {tool("x", "does evil", "{}"), tool("z")}),
            (changes{{"x", "its description and its input schema have changed since it was approved"},
                     {"z", "it is new since the tools of its server were approved"}}));
}

TEST_F(approvals_test, looking_again_approves_nothing) {
  auto a = make();
  review(a, entry("s"), {tool("x")});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}).size(), 1u);
}

TEST_F(approvals_test, what_was_approved_outlives_the_program) {
  {
    auto a = make();
    review(a, entry("s"), {tool("x")});
  }
  auto a = make();
  EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}).size(), 1u);
  EXPECT_EQ(review(a, entry("s"), {tool("x")}), changes{});
  struct stat s;
  ASSERT_EQ(::stat(file().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

TEST_F(approvals_test, a_tool_that_was_away_is_still_approved) {
  auto a = make();
  review(a, entry("s"), {tool("x"), tool("y")});
  EXPECT_EQ(review(a, entry("s"), {tool("x")}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("y")}), changes{});
}

TEST_F(approvals_test, an_empty_list_is_no_first_use) {
  auto a = make();
  EXPECT_EQ(review(a, entry("s"), {}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x")}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}).size(), 1u);
}

TEST_F(approvals_test, an_entry_with_another_command_in_the_same_file_is_the_same_server) {
  auto a = make();
  review(a, entry("s"), {tool("x")});
  auto edited = entry("s");
  edited.command = "evil";
  edited.args = {"--more"};
  EXPECT_EQ(review(a, edited, {tool("x")}), changes{});
  EXPECT_EQ(review(a, edited, {tool("x", "other")}).size(), 1u);
}

TEST_F(approvals_test, another_name_another_file_and_another_project_are_other_servers) {
  auto a = make();
  review(a, entry("s"), {tool("x")});
  auto local = entry("s");
  local.workspace = "/project";
  auto of_project = entry("s");
  of_project.scope = "/project";
  for (auto& other : {entry("t"), entry("s", "/project/.mcp.json"), local, of_project})
    EXPECT_EQ(review(a, other, {tool("x", "other")}), changes{});
}

TEST_F(approvals_test, an_approval_is_of_one_definition) {
  auto a = make();
  review(a, entry("s"), {tool("x"), tool("y")});
  EXPECT_EQ(a.approve(entry("s"), {tool("x", "second")}).message, "");
  EXPECT_EQ(review(a, entry("s"), {tool("x", "second"), tool("y")}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("y")}).size(), 1u) << "the first one is not approved any more";
  EXPECT_EQ(a.approved(entry("s")).value.size(), 2u);
}

TEST_F(approvals_test, some_tools_of_a_server_that_nobody_knows_can_be_approved) {
  auto a = make();
  EXPECT_EQ(a.approve(entry("s"), {tool("x")}).message, "");
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("y")}).size(), 1u);
}

TEST_F(approvals_test, a_second_tool_of_one_name_has_changed) {
  auto a = make();
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("x", "other")}).size(), 1u);
  EXPECT_EQ(review(a, entry("s"), {tool("x"), tool("x")}), changes{});
}

TEST_F(approvals_test, a_list_that_was_as_approved_is_known_until_something_is_approved) {
  auto a = make();
  review(a, entry("s"), {tool("x")}, "first");
  EXPECT_TRUE(a.is_known(entry("s"), "first"));
  EXPECT_FALSE(a.is_known(entry("s"), "second"));
  EXPECT_FALSE(a.is_known(entry("s"), ""));
  review(a, entry("s"), {tool("x", "other")}, "second");
  EXPECT_FALSE(a.is_known(entry("s"), "second"));
  a.approve(entry("s"), {tool("x", "other")});
  EXPECT_FALSE(a.is_known(entry("s"), "first"));
  auto b = make();
  EXPECT_TRUE(b.has_changed());
  EXPECT_FALSE(b.is_known(entry("s"), "first"));
}

TEST_F(approvals_test, two_programs_share_the_file_and_hear_of_each_other) {
  auto a = make(), b = make();
  review(a, entry("s"), {tool("x")}, "first");
  EXPECT_EQ(review(b, entry("s"), {tool("x", "other")}).size(), 1u);
  while (a.has_changed())
    ;
  b.approve(entry("s"), {tool("x", "other")});
  EXPECT_TRUE(a.has_changed());
  EXPECT_FALSE(a.has_changed());
  EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}), changes{});
}

TEST_F(approvals_test, of_programs_that_meet_a_server_at_once_one_approves) {
  constexpr int programs = 4;
  std::vector<changes> found(programs);
  std::vector<std::thread> all;
  for (int i = 0; i < programs; ++i)
    all.emplace_back([this, i, &found] {
      auto a = make();
      auto reviewed = a.review(entry("s"), "c", {tool("x", std::to_string(i))});
      found[static_cast<size_t>(i)] = reviewed.ok() ? reviewed.value : changes{{"x", reviewed.error.message}};
    });
  for (auto& t : all)
    t.join();
  EXPECT_EQ(std::count(found.begin(), found.end(), changes{}), 1);
}

TEST_F(approvals_test, a_damaged_file_approves_nothing_until_it_is_removed) {
  {
    auto a = make();
    review(a, entry("s"), {tool("x")});
  }
  folder.write("state/approvals.db", "no database, but long enough to be looked at as one");
  auto a = make();
  auto found = review(a, entry("s"), {tool("x")});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found["x"].find("lost"), std::string::npos) << found["x"];
  EXPECT_NE(a.take_warning().find("damaged"), std::string::npos);
  EXPECT_EQ(review(a, entry("new"), {tool("y")}).size(), 1u) << "nobody can tell whether it is new";
  EXPECT_EQ(a.approve(entry("s"), {tool("x")}).message, "");
  EXPECT_EQ(review(a, entry("s"), {tool("x")}), changes{});
  for (auto& f : fs::directory_iterator{folder.path("state")})
    if (f.path().filename().string().find(".damaged-") != std::string::npos)
      fs::remove(f.path());
  EXPECT_EQ(review(a, entry("new"), {tool("y")}), changes{});
}

TEST_F(approvals_test, without_a_folder_it_remembers_as_long_as_it_lives) {
  approvals a{""};
  EXPECT_EQ(review(a, entry("s"), {tool("x")}), changes{});
  EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}).size(), 1u);
  EXPECT_EQ(a.approve(entry("s"), {tool("x", "other")}).message, "");
  EXPECT_EQ(review(a, entry("s"), {tool("x", "other")}), changes{});
}

TEST_F(approvals_test, a_folder_that_can_not_be_written_is_a_fault) {
  approvals a{"/proc/nowhere"};
  EXPECT_NE(a.review(entry("s"), "c", {tool("x")}).error.message.find("/proc/nowhere"), std::string::npos);
  EXPECT_EQ(a.review_in_memory(entry("s"), {tool("x")}), changes{});
  EXPECT_EQ(a.review_in_memory(entry("s"), {tool("x", "other")}).size(), 1u);
}

TEST(command_to_approve, is_what_a_shell_takes) {
  EXPECT_EQ(tool_pinning::command_to_approve("fs-1.x"), "code-executor trust fs-1.x");
  EXPECT_EQ(tool_pinning::command_to_approve("my server"), "code-executor trust 'my server'");
  EXPECT_EQ(tool_pinning::command_to_approve("it's; rm"), R"(code-executor trust 'it'\''s; rm')");
}

} // namespace trust_approvals_test
