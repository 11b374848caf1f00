#include "proxy/editors/file_stems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace editors_file_stems_test {

std::vector<std::string> stems_of(const std::vector<std::string>& names) {
  std::vector<std::string> spellings;
  for (auto& name : names)
    spellings.push_back(editors::plain_spelling(name));
  return editors::file_stems({names.begin(), names.end()}, spellings, '-');
}

TEST(editors_file_stems, are_the_names_where_files_can_have_them) {
  EXPECT_EQ(stems_of({"filesystem", "My_Server-2", "a/b c", "docs.example.com"}),
            (std::vector<std::string>{"filesystem", "My_Server-2", "a-b-c", "docs-example-com"}));
}

TEST(editors_file_stems, are_different_where_case_does_not_count) {
  std::vector<std::string> names{"fs",
                                 "FS",
                                 "Fs",
                                 "a b",
                                 "a/b",
                                 "",
                                 ".",
                                 "..",
                                 "/",
                                 "con",
                                 "NUL",
                                 "index",
                                 "__init__",
                                 "\xe8\xaf\xbb",
                                 "\xe5\x88\xa0",
                                 std::string(200, 'x'),
                                 std::string(200, 'x') + "y",
                                 std::string("a\0b", 3),
                                 "-rf",
                                 "../../etc/passwd"};
  names.push_back(stems_of(names)[1]); // one that is called as the file of another
  std::set<std::string> small;
  for (auto& stem : stems_of(names)) {
    ASSERT_FALSE(stem.empty());
    EXPECT_LE(stem.size(), editors::stem_bytes_max + 17);
    EXPECT_NE(stem[0], '-');
    std::string folded;
    for (unsigned char c : stem) {
      EXPECT_TRUE(std::isalnum(c) || c == '_' || c == '-') << stem;
      folded += static_cast<char>(std::tolower(c));
    }
    EXPECT_TRUE(small.insert(folded).second) << stem << " is there twice";
  }
  EXPECT_EQ(stems_of(names)[0], "fs");
}

TEST(editors_file_stems, do_not_depend_on_the_order) {
  auto forwards = stems_of({"Fs", "FS", "fs"}), backwards = stems_of({"fs", "FS", "Fs"});
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(forwards, backwards);
}

} // namespace editors_file_stems_test
