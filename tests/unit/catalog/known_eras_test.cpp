#include "catalog/known_eras.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace catalog_known_eras_test {

namespace fs = std::filesystem;

class known_eras_test : public testing::Test {
protected:
  known_eras_test() { entry_.name = "kid"; }
  std::string only_file() {
    for (auto& each : fs::directory_iterator{folder_.path() + "/state/eras"})
      return each.path().string();
    return {};
  }

  test::folder folder_;
  msg::server_entry entry_;
  catalog::known_eras eras_{folder_.path() + "/state"};
};

TEST_F(known_eras_test, are_kept_by_entry_for_a_while) {
  EXPECT_FALSE(eras_.is_modern(entry_));
  eras_.keep(entry_, true);
  EXPECT_EQ(eras_.is_modern(entry_), true);
  eras_.keep(entry_, false);
  EXPECT_EQ(eras_.is_modern(entry_), false);
  EXPECT_EQ(fs::status(folder_.path() + "/state/eras").permissions(), fs::perms::owner_all);
  EXPECT_FALSE(eras_.is_modern(entry_, catalog::known_eras::clock::now() + catalog::era_kept_max));
  auto other = entry_;
  other.command = "another";
  EXPECT_FALSE(eras_.is_modern(other));
}

TEST_F(known_eras_test, what_is_no_file_of_ours_says_nothing) {
  eras_.keep(entry_, true);
  auto path = only_file();
  for (auto text : {"", "2026-07-28", "2026-07-28\nx", "nonsense of more than thirty-two bytes in all"}) {
    std::ofstream{path} << text;
    EXPECT_FALSE(eras_.is_modern(entry_)) << text;
  }
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_FALSE(eras_.is_modern(entry_));
  eras_.keep(entry_, false);
  EXPECT_EQ(eras_.is_modern(entry_), false) << "the link was replaced, and not followed";
}

TEST_F(known_eras_test, are_bounded_and_alone) {
  auto eras = folder_.path() + "/state/eras/";
  fs::create_directories(eras);
  for (size_t i = 0; i < catalog::eras_max + 5; ++i) {
    auto number = std::to_string(i);
    std::ofstream{eras + std::string(64 - number.size(), 'a') + number} << "x";
  }
  std::ofstream{eras + "of the user"} << "x";
  eras_.keep(entry_, true);
  size_t left = 0;
  for ([[maybe_unused]] auto& each : fs::directory_iterator{eras})
    ++left;
  EXPECT_EQ(left, catalog::eras_max + 1);
  EXPECT_TRUE(fs::exists(eras + "of the user"));
}

TEST_F(known_eras_test, nothing_is_written_by_way_of_a_link) {
  fs::create_directories(folder_.path() + "/state");
  fs::create_directories(folder_.path() + "/documents");
  fs::create_symlink(folder_.path() + "/documents", folder_.path() + "/state/eras");
  eras_.keep(entry_, true);
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/documents"));
}

TEST_F(known_eras_test, without_a_folder_nothing_is_known) {
  catalog::known_eras none{""};
  none.keep(entry_, true);
  EXPECT_FALSE(none.is_modern(entry_));
}

} // namespace catalog_known_eras_test
