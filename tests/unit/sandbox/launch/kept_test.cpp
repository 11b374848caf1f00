#include "sandbox/launch/permit.hpp"
#include "sandbox/launch/placeholder.hpp"
#include "tests/unit/sandbox/kept_fixture.hpp"

#include <fcntl.h>
#include <sys/file.h>

namespace sandbox_kept_test {

using namespace sandbox_kept_tests;

TEST_F(kept_test, what_is_there_and_what_is_not_is_read_only) {
  world_.write("project/.mcp.json", "{}");
  {
    auto kept = keep({"project"});
    ASSERT_TRUE(kept.ok()) << kept.error.message;
    EXPECT_EQ(read_only(kept.value), (strings{"project/.cursor", "project/.mcp.json", "project/crush.json"}));
    EXPECT_EQ(kept.value.paths.size(), 3u);
    EXPECT_TRUE(fs::is_directory(world_.path("project/.cursor")));
    EXPECT_EQ(test::read(world_.path("project/crush.json")), "{\t}\n") << "clients that look at it find no servers";
  }
  EXPECT_FALSE(exists("project/.cursor"));
  EXPECT_FALSE(exists("project/crush.json"));
  EXPECT_EQ(test::read(world_.path("project/.mcp.json")), "{}") << "what was there stays";
}

TEST_F(kept_test, of_a_folder_that_others_write_to_only_one_file_is_kept) {
  policy_.kept = {{world_.path("project/config/tool.json"), false}};
  policy_.kept_names = {{"config/tool.json", false}};
  world_.write("project/config/mine.txt", "x");
  world_.write("other/config/tool.json", "{}");
  for (auto* name : {"project/config", "other/config", "other/config/tool.json", "project/config/mine.txt"})
    fs::permissions(world_.path(name), fs::perms::all);
  for (auto& [granted, file] :
       {std::pair{"project", "project/config/tool.json"}, std::pair{"project/config", "project/config/tool.json"},
        std::pair{"other", "other/config/tool.json"}, std::pair{"other/config", "other/config/tool.json"}}) {
    auto kept = keep({granted});
    ASSERT_TRUE(kept.ok()) << granted << ": " << kept.error.message;
    EXPECT_EQ(read_only(kept.value), strings{file}) << granted;
  }
  EXPECT_FALSE(exists("project/config/tool.json")) << "the placeholder is gone";
  EXPECT_EQ(keep({"other/config/tool.json"}).error.code, errc::not_allowed);
  EXPECT_TRUE(keep({"project/config/mine.txt"}).ok());
}

TEST_F(kept_test, the_way_to_it_can_not_be_renamed) {
  auto kept = keep({"."});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  ASSERT_FALSE(kept.value.mounts.empty());
  EXPECT_EQ(kept.value.mounts.front().to, world_.path("project"));
  EXPECT_EQ(kept.value.mounts.front().mode, access::writable) << "a mount on itself, which can not be renamed";
  EXPECT_EQ(read_only(kept.value), (strings{"project/.cursor", "project/.mcp.json", "project/crush.json"}));
}

TEST_F(kept_test, they_can_not_be_granted_themselves) {
  world_.write("project/.mcp.json", "{}");
  fs::permissions(world_.path("project/.mcp.json"), fs::perms::all);
  fs::create_directories(world_.path("project/.cursor/rules"));
  fs::permissions(world_.path("project/.cursor/rules"), fs::perms::all);
  for (auto* path : {"project/.mcp.json", "project/.cursor/rules"}) {
    auto kept = keep({path});
    EXPECT_EQ(kept.error.code, errc::not_allowed) << path;
    EXPECT_NE(kept.error.message.find("permissions.write"), std::string::npos) << kept.error.message;
  }
  EXPECT_TRUE(keep({}, {"project/.cursor/rules"}).ok()) << "reading is no harm";
}

TEST_F(kept_test, a_link_can_not_be_kept) {
  world_.write("other/real.json", "{}");
  fs::create_symlink(world_.path("other/real.json"), world_.path("project/.mcp.json"));
  auto kept = keep({"project"});
  EXPECT_EQ(kept.error.code, errc::not_allowed);
  EXPECT_NE(kept.error.message.find("project/.mcp.json"), std::string::npos) << kept.error.message;
  EXPECT_FALSE(exists("project/crush.json"));
}

TEST_F(kept_test, what_a_link_from_elsewhere_leads_to_is_kept) { // as managers of dotfiles make them
  world_.write("other/real.json", "{}");
  fs::create_directories(world_.path("home"));
  fs::create_symlink("../other/real.json", world_.path("home/mcp.json"));
  policy_.kept = {{world_.path("home/mcp.json"), false}};
  auto kept = keep({"other"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value), (strings{"other/real.json"}));
}

TEST_F(kept_test, a_link_on_the_way_can_not_be_kept) {
  world_.write("other/real/mcp.json", "{}");
  fs::create_directory_symlink("real", world_.path("other/link"));
  fs::create_directory_symlink(world_.path("other/link"), world_.path("client"));
  policy_.kept = {{world_.path("client/mcp.json"), false}};
  auto kept = keep({"other"});
  EXPECT_EQ(kept.error.code, errc::not_allowed);
  EXPECT_NE(kept.error.message.find("other/link"), std::string::npos) << kept.error.message;
  EXPECT_TRUE(keep({"project"}).ok());
}

TEST_F(kept_test, a_circle_of_links_has_an_end) {
  fs::create_symlink(world_.path("a"), world_.path("b"));
  fs::create_symlink(world_.path("b"), world_.path("a"));
  policy_.kept = {{world_.path("a/mcp.json"), false}};
  EXPECT_TRUE(keep({"project"}).ok());
  EXPECT_EQ(keep({"."}).error.code, errc::not_allowed);
}

TEST_F(kept_test, a_grant_over_a_link_is_kept_under_both_names) {
  fs::create_directory_symlink(world_.path("project"), world_.path("link"));
  auto kept = keep({"link"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value), (strings{"link/.cursor", "link/.mcp.json", "link/crush.json", "project/.cursor",
                                            "project/.mcp.json", "project/crush.json"}));
}

TEST_F(kept_test, in_other_folders_what_is_there_is_read_only) {
  world_.write("other/.mcp.json", "{}");
  auto kept = keep({"other", "project/sub"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value), strings{"other/.mcp.json"});
  EXPECT_TRUE(kept.value.holds.empty());
}

TEST_F(kept_test, a_grant_further_in_takes_nothing_away_either) {
  fs::create_directories(world_.path("project/x/tools"));
  for (auto* name : {"project/x", "project/x/tools"})
    fs::permissions(world_.path(name), fs::perms::all);
  world_.write("project/x/tools/server.py", "");
  policy_.kept = {{world_.path("project/x/tools/server.py"), false}};
  auto kept = keep({"project", "project/x/tools"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value), strings{"project/x/tools/server.py"});
  ASSERT_EQ(kept.value.mounts.size(), 3u) << "the folder between the two has its name by a mount";
  EXPECT_EQ(kept.value.mounts[0].to.text(), world_.path("project/x"));
  EXPECT_TRUE(kept.value.mounts[0].leads_to_kept && kept.value.mounts[0].mode == access::writable);
  auto between = keep({"project", "project/x/tools"}, {"project/x"});
  ASSERT_TRUE(between.ok());
  EXPECT_EQ(read_only(between.value), (strings{"project/x", "project/x/tools/server.py"}));
  EXPECT_TRUE(between.value.mounts[0].leads_to_kept) << "which nothing keeps from being moved without namespaces";
}

TEST_F(kept_test, a_folder_is_kept_with_all_that_is_in_it_in_any_order) {
  fs::create_directories(world_.path("project/modules/own/bin"));
  for (auto* name : {"project/modules", "project/modules/own"})
    fs::permissions(world_.path(name), fs::perms::all);
  sandbox::kept_path whole{world_.path("project/modules"), true}, inner{world_.path("project/modules/own/bin"), true};
  for (auto& order : {std::vector{whole, inner}, std::vector{inner, whole}}) {
    policy_.kept = order;
    auto kept = keep({"project"});
    ASSERT_TRUE(kept.ok()) << kept.error.message;
    EXPECT_NE(std::find(kept.value.paths.begin(), kept.value.paths.end(), whole.path), kept.value.paths.end());
    for (auto& m : kept.value.mounts)
      EXPECT_TRUE(m.mode == access::read_only && !m.leads_to_kept) << m.to.text();
  }
}

TEST_F(kept_test, in_a_placeholder_there_is_no_other) {
  policy_.kept = {{world_.path("project/modules"), true}, {world_.path("project/modules/.bin"), true}};
  {
    auto kept = keep({"project"});
    ASSERT_TRUE(kept.ok()) << kept.error.message;
    EXPECT_EQ(read_only(kept.value), (strings{"project/modules"}));
    EXPECT_FALSE(exists("project/modules/.bin"));
  }
  EXPECT_FALSE(exists("project/modules"));
}

TEST_F(kept_test, runs_that_overlap_leave_nothing_behind) {
  policy_.kept = {{world_.path("project/.cursor/mcp.json"), false}};
  {
    auto first = keep({"project"});
    auto second = keep({"project"});
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(read_only(second.value), (strings{"project/.cursor"}));
    EXPECT_FALSE(exists("project/.cursor/mcp.json"));
    first.value.holds.clear();
    EXPECT_TRUE(exists("project/.cursor")) << "the second run needs it";
  }
  EXPECT_FALSE(exists("project/.cursor"));
}

TEST_F(kept_test, what_lies_in_a_folder_that_is_kept_there_can_not_be_granted_beside_it) {
  policy_.kept_names.push_back({"modules", true});
  fs::create_directories(world_.path("other/modules/one"));
  for (auto* name : {"other/modules", "other/modules/one"})
    fs::permissions(world_.path(name), fs::perms::all);
  auto kept = keep({"other", "other/modules/one"});
  ASSERT_FALSE(kept.ok());
  EXPECT_NE(kept.error.message.find("decides what is started"), std::string::npos) << kept.error.message;
}

TEST_F(kept_test, a_link_that_is_granted_itself_is_kept_all_the_same) {
  fs::create_directories(world_.path("project/tools"));
  fs::permissions(world_.path("project/tools"), fs::perms::all);
  world_.write("project/tools/server.py", "");
  fs::create_symlink("tools", world_.path("project/l"));
  policy_.kept = {{world_.path("project/l/server.py"), false}};
  for (auto& grants :
       {strings{"project"}, strings{"project", "project/l"}, strings{"project/l", "project", "project/tools"}}) {
    auto kept = keep(grants);
    ASSERT_FALSE(kept.ok());
    EXPECT_NE(kept.error.message.find("symbolic link"), std::string::npos) << kept.error.message;
  }
  EXPECT_TRUE(keep({"project/l"}).ok()) << "the link itself is not in what is granted";
}

TEST_F(kept_test, files_of_other_projects_can_not_be_named) {
  world_.write("other/.mcp.json", "{}");
  fs::create_directories(world_.path("other/.cursor/rules"));
  for (auto* name : {"other", "other/.mcp.json", "other/.cursor", "other/.cursor/rules"})
    fs::permissions(world_.path(name), fs::perms::all);
  for (auto* name : {"other/.mcp.json", "other/.cursor", "other/.cursor/rules"}) {
    auto kept = keep({name});
    ASSERT_FALSE(kept.ok()) << name;
    EXPECT_EQ(kept.error.code, errc::not_allowed);
    EXPECT_NE(kept.error.message.find("name another folder"), std::string::npos) << kept.error.message;
  }
  policy_.write = {world_.path("other/.cursor/rules")};
  EXPECT_TRUE(keep({"other/.cursor/rules"}).ok()) << "the user has named it";
}

TEST_F(kept_test, nothing_in_a_folder_of_two_names_can_be_named) {
  policy_.kept_names = {{".github/hooks", true}};
  world_.write("other/.github/hooks/inner/x", "");
  for (auto* name : {"other/.github", "other/.github/hooks", "other/.github/hooks/inner"}) {
    fs::permissions(world_.path(name), fs::perms::all);
    EXPECT_EQ(keep({name}).ok(), std::string{name} == "other/.github") << name;
  }
}

TEST_F(kept_test, what_is_no_json_is_a_comment_as_long_as_it_is_not_there) {
  std::string comment = "# held by code-executor while a program runs\n";
  policy_.kept = {{world_.path("project/.npmrc"), false},
                  {world_.path("project/HEAD"), false},
                  {world_.path("project/a.json"), false}};
  {
    auto kept = keep({"project"});
    ASSERT_TRUE(kept.ok()) << kept.error.message;
    EXPECT_EQ(test::read(world_.path("project/.npmrc")) + test::read(world_.path("project/HEAD")), comment + comment);
    EXPECT_EQ(test::read(world_.path("project/a.json")), "{\t}\n");
    EXPECT_TRUE(keep({"project"}).ok()) << "two hold them";
  }
  for (auto* name : {"project/.npmrc", "project/HEAD", "project/a.json"})
    EXPECT_FALSE(exists(name)) << name;
}

TEST_F(kept_test, a_narrower_grant_for_reading_is_not_opened_again) {
  auto kept = keep({"."}, {"project"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value), strings{"project"});
  EXPECT_EQ(kept.value.mounts.size(), 1u);
  EXPECT_TRUE(kept.value.holds.empty()) << "what is absent there can not be made";
  EXPECT_EQ(kept.value.paths.size(), 3u) << "which Deno is told by itself";
}

TEST_F(kept_test, a_grant_for_reading_takes_nothing_away_from_what_is_kept) {
  world_.write("project/.mcp.json", "{}");
  world_.write("project/deep/mcp.json", "{}");
  policy_.kept.push_back({world_.path("project/deep/mcp.json"), false});
  auto kept = keep({"project"}, {"project/.mcp.json", "project/deep/mcp.json"});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read_only(kept.value),
            (strings{"project/.cursor", "project/.mcp.json", "project/crush.json", "project/deep/mcp.json"}));
  EXPECT_EQ(kept.value.mounts.size(), 5u) << "with the folder on the way, whose name stays what it is";
}

TEST_F(kept_test, placeholders_go_with_the_last_that_holds_them) {
  auto first = keep({"project"});
  {
    auto second = keep({"project"});
    EXPECT_EQ(second.value.holds.size(), 3u);
    first = msg::fault{errc::cancelled, "ended"};
    EXPECT_TRUE(exists("project/.cursor") && exists("project/.mcp.json")) << "another guest has them";
  }
  EXPECT_FALSE(exists("project/.cursor") || exists("project/.mcp.json"));
}

TEST_F(kept_test, what_a_server_left_behind_is_taken_over) {
  world_.write("project/.mcp.json", "{\t}\n");
  fs::permissions(world_.path("project/.mcp.json"), fs::perms{0444});
  fs::create_directory(world_.path("project/.cursor"));
  fs::permissions(world_.path("project/.cursor"), fs::perms{01555});
  (void)keep({"project"});
  EXPECT_FALSE(exists("project/.cursor") || exists("project/.mcp.json"));
}

TEST_F(kept_test, what_a_person_has_written_to_stop_agents_stays) {
  for (auto* text : {"{}", "{}\n", "{ }\n"}) {
    world_.write("project/.mcp.json", text);
    fs::permissions(world_.path("project/.mcp.json"), fs::perms{0444});
    (void)keep({"project"});
    EXPECT_TRUE(exists("project/.mcp.json")) << text;
    fs::remove(world_.path("project/.mcp.json"));
  }
  fs::create_directory(world_.path("project/.cursor"));
  fs::permissions(world_.path("project/.cursor"), fs::perms{0555});
  (void)keep({"project"});
  EXPECT_TRUE(exists("project/.cursor"));
}

TEST_F(kept_test, what_somebody_has_put_in_its_place_stays) {
  {
    auto kept = keep({"project"});
    fs::remove(world_.path("project/.mcp.json"));
    world_.write("project/.mcp.json", "{\t}\n");
    fs::permissions(world_.path("project/.cursor"), fs::perms::owner_all);
    world_.write("project/.cursor/mcp.json", "{}");
  }
  EXPECT_TRUE(exists("project/.mcp.json") && exists("project/.cursor/mcp.json"));
  EXPECT_FALSE(exists("project/crush.json"));
}

TEST_F(kept_test, deno_hears_of_them) {
  sandbox::box base;
  base.command = {"/runtime/deno", "run", "main.ts"};
  auto made = sandbox::permit(base, msg::language::typescript, {{}, {world_.path("project")}, {}}, policy_);
  ASSERT_TRUE(made.ok()) << made.error.message;
  auto project = world_.path("project");
  auto denied = "--deny-write=" + project + "/.mcp.json," + project + "/crush.json," + project + "/.cursor";
  EXPECT_NE(std::find(made.value.command.begin(), made.value.command.end(), denied), made.value.command.end());
}

} // namespace sandbox_kept_test
