#include "config/env_file.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace config_env_file_test {

using variables = std::map<std::string, std::string>;

TEST(env_file, is_parsed) {
  auto out = config::parse_env_file(
    "/f",
    "# tokens\n\nA=1\n  B = two words \nexport C='x # y'\r\nD=\"a\\n\\t\\\"\\\\b\"\nE=\nF=\nG=x # comment\nH=a#b\n"
    "I=''\nJ=\"x\" # comment\nK=# comment\nL=a=b\nM=${A}\nA=2\nN.x-y=1");
  ASSERT_TRUE(out.ok()) << out.error.message;
  EXPECT_EQ(out.value, (variables{{"A", "2"},
                                  {"B", "two words"},
                                  {"C", "x # y"},
                                  {"D", "a\n\t\"\\b"},
                                  {"E", ""},
                                  {"F", ""},
                                  {"G", "x"},
                                  {"H", "a#b"},
                                  {"I", ""},
                                  {"J", "x"},
                                  {"K", ""},
                                  {"L", "a=b"},
                                  {"M", "${A}"},
                                  {"N.x-y", "1"}}));
}

TEST(env_file, a_wrong_line_is_named_and_not_quoted) {
  for (auto* line : {"s3cret", "=s3cret", "s3 cret=x", "A='s3cret", "A=\"s3cret\\\"", "A='s3cret' more", "export",
                     "export s3cret"}) {
    auto out = config::parse_env_file("/f", std::string{"OK=1\n# fine\n"} + line);
    EXPECT_EQ(out.error.code, msg::errc::server_start_failed) << line;
    EXPECT_EQ(out.error.message, "/f: line 3: expected NAME=value") << line;
  }
  EXPECT_FALSE(config::parse_env_file("/f", std::string_view{"A=x\0y", 5}).ok());
}

TEST(env_file, has_to_be_there_and_is_bounded) {
  test::folder folder;
  auto missing = config::read_env_file(folder.path(".env"));
  EXPECT_EQ(missing.error.code, msg::errc::server_start_failed);
  EXPECT_NE(missing.error.message.find(folder.path(".env")), std::string::npos);
  auto big = folder.write("big", "A=1");
  std::filesystem::resize_file(big, msg::limits::entry_file_bytes_max + 1);
  EXPECT_NE(config::read_env_file(big).error.message.find("larger than 1 MiB"), std::string::npos);
  EXPECT_FALSE(config::read_env_file(folder.path()).ok());
  EXPECT_EQ(config::read_env_file(folder.write("ok", "\xEF\xBB\xBF"
                                                     "A=1"))
              .value,
            (variables{{"A", "1"}}));
}

} // namespace config_env_file_test
