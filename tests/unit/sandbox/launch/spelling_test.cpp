// Whether a mount on one name keeps a file: not where it has several.
#include "sandbox/launch/spelling.hpp"

#include "process/inside.hpp"
#include "tests/unit/sandbox/kept_fixture.hpp"

#include <algorithm>
#include <cctype>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>

namespace sandbox_spelling_test {

using namespace sandbox_kept_tests;
using process::descriptor;
using sandbox::file_identity;
using sandbox::folder_questions;

constexpr ino_t shown_otherwise = 1'000'000'000; ///< what a file system adds that numbers names

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

enum class numbers { of_files, of_names };

/// A file system that finds names in any case, by what is in the folder.
folder_questions in_any_case(numbers how = numbers::of_files) {
  auto questions = sandbox::asked_of_the_system();
  questions.find = [how](const descriptor& folder, const std::string& name) -> std::optional<file_identity> {
    for (auto& entry : fs::directory_iterator("/proc/self/fd/" + std::to_string(folder.get()))) {
      auto found = entry.path().filename().string();
      struct stat s {};
      if (lower(found) == lower(name) && ::fstatat(folder.get(), found.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0)
        return file_identity{s.st_dev, s.st_ino + (how == numbers::of_names && found != name ? shown_otherwise : 0)};
    }
    return {};
  };
  return questions;
}

folder_questions of_type(uint64_t magic) {
  auto questions = sandbox::asked_of_the_system();
  questions.type_of_file_system = [magic](const descriptor&) { return magic; };
  return questions;
}

class spelling_test : public kept_test {
protected:
  msg::outcome<kept_mounts> keep_as(const folder_questions& questions, strings write) {
    auto grants = sandbox::resolve_grants({{}, std::move(write), {}}, policy_);
    EXPECT_TRUE(grants.ok()) << grants.error.message;
    return sandbox::keep(grants.value, policy_, questions);
  }
  bool are_several(const folder_questions& questions, const std::string& name) const {
    descriptor folder{::open(world_.path("project").c_str(), O_PATH | O_CLOEXEC)};
    return sandbox::spellings{questions}.are_several(folder, name);
  }
};

TEST_F(spelling_test, what_is_found_in_any_case_can_not_be_kept) {
  world_.write("project/.mcp.json", "{}");
  policy_.write = {world_.path("project")};
  for (auto how : {numbers::of_files, numbers::of_names}) {
    auto kept = keep_as(in_any_case(how), {"project"});
    EXPECT_EQ(kept.error.code, errc::not_allowed);
    EXPECT_NE(
      kept.error.message.find("the file system of " + world_.path("project") + " does not tell upper from lower case"),
      std::string::npos)
      << kept.error.message;
    EXPECT_NE(kept.error.message.find(".mcp.json, which decides what is started"), std::string::npos)
      << kept.error.message;
  }
  EXPECT_TRUE(keep({"project"}).ok());
}

TEST_F(spelling_test, a_file_that_is_there_by_its_other_spelling_hides_nothing) {
  world_.write("project/.MCP.JSON", "{}");
  policy_.write = {world_.path("project")};
  for (auto how : {numbers::of_files, numbers::of_names})
    EXPECT_EQ(keep_as(in_any_case(how), {"project"}).error.code, errc::not_allowed);
  EXPECT_TRUE(keep({"project"}).ok()) << "where it is another file";
}

TEST_F(spelling_test, neither_can_a_placeholder_which_goes_away_again) {
  policy_.write = {world_.path("project")};
  EXPECT_EQ(keep_as(in_any_case(), {"project"}).error.code, errc::not_allowed);
  EXPECT_FALSE(exists("project/.mcp.json"));
  EXPECT_FALSE(exists("project/.cursor"));
}

TEST_F(spelling_test, a_folder_on_the_way_is_looked_at) { // a mount, or one that was made so (chattr +F)
  policy_.kept = {{world_.path("project/sub/tool.py"), false}};
  policy_.write = {world_.path("project")};
  auto questions = in_any_case();
  questions.find = [any_case = questions.find, real = sandbox::asked_of_the_system().find](const descriptor& folder,
                                                                                           const std::string& name) {
    return process::path_of_opened(folder.get()).filename() == "sub" ? any_case(folder, name) : real(folder, name);
  };
  auto kept = keep_as(questions, {"project"});
  EXPECT_EQ(kept.error.code, errc::not_allowed);
  EXPECT_NE(kept.error.message.find("project/sub does not tell"), std::string::npos) << kept.error.message;
}

TEST_F(spelling_test, some_file_systems_are_known_for_it) {
  world_.write("other/.mcp.json", "{}");
  policy_.write = {world_.path("other")};
  for (auto magic : {MSDOS_SUPER_MAGIC, V9FS_MAGIC, EXFAT_SUPER_MAGIC})
    EXPECT_EQ(keep_as(of_type(magic), {"other"}).error.code, errc::not_allowed) << magic;
  for (auto magic : {FUSE_SUPER_MAGIC, TMPFS_MAGIC})
    EXPECT_TRUE(keep_as(of_type(magic), {"other"}).ok()) << magic;
}

TEST_F(spelling_test, where_nothing_is_to_be_kept_all_may_be_written) {
  policy_.write = {world_.path("other")};
  EXPECT_TRUE(keep_as(of_type(V9FS_MAGIC), {"other"}).ok());
  EXPECT_TRUE(keep_as(in_any_case(), {"other"}).ok());
}

TEST_F(spelling_test, a_granted_name_may_be_another_one_of_what_is_kept) {
  fs::create_directories(world_.path("other/.CURSOR"));
  fs::permissions(world_.path("other/.CURSOR"), fs::perms::all);
  EXPECT_TRUE(keep({"other/.CURSOR"}).ok()) << "where it has one name, that is none of ours";
  auto kept = keep_as(in_any_case(), {"other/.CURSOR"});
  EXPECT_EQ(kept.error.code, errc::not_allowed);
  EXPECT_NE(kept.error.message.find("name that one itself in security.allowWrite"), std::string::npos)
    << kept.error.message;
  policy_.write.push_back(world_.path("other/.CURSOR"));
  EXPECT_TRUE(keep_as(in_any_case(), {"other/.CURSOR"}).ok()) << "the user has named it";
}

TEST_F(spelling_test, two_files_of_two_spellings_are_two_files) {
  world_.write("project/.mcp.json", "{}");
  world_.write("project/.MCP.JSON", "{}");
  EXPECT_FALSE(are_several(sandbox::asked_of_the_system(), ".mcp.json"));
  EXPECT_TRUE(keep({"project"}).ok());
}

TEST_F(spelling_test, one_file_of_two_spellings_has_two_names) {
  world_.write("project/.mcp.json", "{}");
  fs::create_hard_link(world_.path("project/.mcp.json"), world_.path("project/.MCP.JSON"));
  EXPECT_TRUE(are_several(sandbox::asked_of_the_system(), ".mcp.json"));
}

TEST_F(spelling_test, where_it_is_known_no_placeholder_is_made) { // it might not be known again, and stay
  policy_.write = {world_.path("project")};
  auto questions = sandbox::asked_of_the_system();
  questions.type_of_file_system = [this](const descriptor&) {
    EXPECT_FALSE(exists("project/.mcp.json"));
    return uint64_t{V9FS_MAGIC};
  };
  EXPECT_EQ(keep_as(questions, {"project"}).error.code, errc::not_allowed);
}

TEST_F(spelling_test, a_folder_is_asked_once) {
  world_.write("project/.mcp.json", "{}");
  int asked = 0;
  auto questions = sandbox::asked_of_the_system();
  questions.type_of_file_system = [&](const descriptor&) { return ++asked, uint64_t{TMPFS_MAGIC}; };
  policy_.write = {world_.path("project")};
  EXPECT_TRUE(keep_as(questions, {"project"}).ok());
  EXPECT_EQ(asked, 1);
}

TEST_F(spelling_test, what_can_not_be_looked_up_is_not_trusted) {
  auto questions = sandbox::asked_of_the_system();
  questions.find = [](const descriptor&, const std::string&) { return file_identity{}; };
  EXPECT_TRUE(are_several(questions, ".mcp.json"));
  EXPECT_FALSE(are_several(questions, "12")) << "no letter, no case";
}

} // namespace sandbox_spelling_test
