#include "tool_search/snapshot.hpp"

#include "testing/folder.hpp"
#include "tool_search/rank.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <sys/stat.h>

namespace tool_search_snapshot_test {

using tool_search::load_snapshot;
using tool_search::save_snapshot;

class snapshot_test : public testing::Test {
protected:
  snapshot_test() {
    index.set_server("disk", {{"read_file", "Opens documents", "path", "where it lies"},
                              {"write_file", "Keeps documents", "path text", ""}});
    index.set_server("empty", {});
    index.set_server("mail", {{"send", "Sends a letter", "to", ""}});
    index.build();
  }
  std::string path() const { return folder.path("x.index"); }
  static std::vector<std::pair<std::string, float>> answers(const tool_search::search_index& of,
                                                            std::string_view question) {
    std::vector<std::pair<std::string, float>> out;
    for (auto& h : tool_search::search(of, {.text = question}).hits)
      out.emplace_back(of.server_of(h.tool) + "." + std::string{of.name_of(h.tool)}, h.score);
    return out;
  }

  test::folder folder;
  tool_search::search_index index;
  const std::vector<tool_search::indexed_list> lists{{"disk", "d1", "c1"}, {"empty", "d2", "c2"}, {"mail", "d3", "c3"}};
};

TEST_F(snapshot_test, comes_back_as_it_was) {
  ASSERT_EQ(save_snapshot(path(), index, lists), "");
  auto back = load_snapshot(path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->made_of, lists);
  EXPECT_EQ(back->index.size(), 3U);
  EXPECT_EQ(back->index.server_count(), 3U);
  for (auto* question : {"open documents", "send", "writefile", "leter", "where does it lie in disk"})
    EXPECT_EQ(answers(back->index, question), answers(index, question)) << question;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder.path()}, {}), 1) << "nothing else is left behind";
  struct stat st {};
  ASSERT_EQ(::stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0600U);
}

TEST_F(snapshot_test, can_be_changed_like_the_one_it_was_made_of) {
  ASSERT_EQ(save_snapshot(path(), index, lists), "");
  auto back = load_snapshot(path());
  ASSERT_TRUE(back);
  for (auto* i : {&index, &back->index}) {
    i->set_server("post", {{"parcel", "Sends parcels and documents", "weight", ""}});
    i->remove_server("mail");
    i->build();
  }
  for (auto* question : {"parcel", "send documents", "a letter", "weigt"})
    EXPECT_EQ(answers(back->index, question), answers(index, question)) << question;
}

TEST_F(snapshot_test, there_may_be_none) {
  EXPECT_FALSE(load_snapshot(path()));
  folder.write("x.index", "");
  EXPECT_FALSE(load_snapshot(path()));
  EXPECT_NE(save_snapshot("/no/such/folder/x.index", index, lists), "");
}

TEST_F(snapshot_test, numbers_of_another_ranking_do_not_fit) {
  ASSERT_EQ(save_snapshot(path(), index, lists), "");
  tool_search::weights other;
  other.saturation = 2;
  EXPECT_FALSE(load_snapshot(path(), other));
}

TEST_F(snapshot_test, a_damaged_one_is_not_read) {
  ASSERT_EQ(save_snapshot(path(), index, lists), "");
  const auto whole = test::read(path());
  for (size_t n = 0; n < whole.size(); n += 37) {
    folder.write("x.index", whole.substr(0, n));
    ASSERT_FALSE(load_snapshot(path())) << "cut at " << n;
  }
  folder.write("x.index", whole + "x");
  EXPECT_FALSE(load_snapshot(path()));
  for (size_t n = 0; n < whole.size(); n += n < 200 ? 1 : 11) {
    auto damaged = whole;
    damaged[n] = static_cast<char>(damaged[n] ^ (1 << n % 8));
    folder.write("x.index", damaged);
    ASSERT_FALSE(load_snapshot(path())) << "byte " << n;
  }
  folder.write("x.index", whole);
  EXPECT_TRUE(load_snapshot(path()));
}

} // namespace tool_search_snapshot_test
