// Folders that can not be looked into, and what is kept in them.
#include "tests/unit/sandbox/kept_fixture.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace sandbox_kept_closed_test {

using namespace sandbox_kept_tests;

/// What the server can not look into, because a program has taken its owner the right.
class closed_folders : public kept_test {
protected:
  closed_folders() {
    if (::geteuid() == 0) {
      for (auto* name : {"", "project", "project/sub", "other"})
        EXPECT_EQ(::chown(world_.path(name).c_str(), ordinary, ordinary), 0);
      EXPECT_EQ(::seteuid(ordinary), 0);
      was_root_ = true;
    }
  }
  ~closed_folders() override {
    if (was_root_)
      EXPECT_EQ(::seteuid(0), 0);
    for (auto* name : {"", "project", "project/sub"})
      fs::permissions(world_.path(name), fs::perms::all);
  }

private:
  static constexpr uid_t ordinary = 65534;
  bool was_root_ = false;
};

TEST_F(closed_folders, are_not_granted) { // their owner can open them again
  policy_.kept.push_back({world_.path("project/sub/tool.json"), false});
  world_.write("project/sub/mine.txt", "x"); // else it could be a placeholder
  for (auto [folder, mode] : {std::pair{"project", 0000u}, std::pair{"project", 0555u}, std::pair{"project/sub", 0000u},
                              std::pair{"project/sub", 0555u}}) {
    ASSERT_EQ(::chmod(world_.path(folder).c_str(), mode), 0);
    auto kept = keep({"project"});
    EXPECT_EQ(kept.error.code, errc::not_allowed) << folder << " " << mode << ": " << kept.error.message;
    EXPECT_NE(kept.error.message.find("chmod u+rwx"), std::string::npos) << kept.error.message;
    ASSERT_EQ(::chmod(world_.path(folder).c_str(), 0777), 0);
  }
  EXPECT_TRUE(keep({"project"}).ok());
}

TEST_F(closed_folders, keep_no_placeholders) {
  for (auto mode : {0000u, 0555u}) {
    {
      auto kept = keep({"project"});
      ASSERT_TRUE(kept.ok()) << kept.error.message;
      ASSERT_EQ(::chmod(world_.path("project").c_str(), mode), 0);
    }
    struct stat s {};
    EXPECT_EQ(::stat(world_.path("project").c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 07777, mode) << "as the program has left it";
    ASSERT_EQ(::chmod(world_.path("project").c_str(), 0777), 0);
    EXPECT_FALSE(exists("project/crush.json"));
    EXPECT_FALSE(exists("project/.cursor"));
  }
}

} // namespace sandbox_kept_closed_test
