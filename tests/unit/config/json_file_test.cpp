#include "config/json_file.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <sys/stat.h>

namespace config_json_file_test {

class json_file_test : public testing::Test {
protected:
  config::json_file read(std::string_view content) {
    path_ = folder_.write("file.json", content);
    return config::read_json_file(path_);
  }
  test::folder folder_;
  std::string path_;
};

TEST_F(json_file_test, is_read) {
  auto f = read(R"({"a":[1,2]})");
  EXPECT_TRUE(f.exists);
  ASSERT_TRUE(f.content.ok()) << f.content.error.message;
  EXPECT_EQ(f.content.value.text(), R"({"a":[1,2]})");
}

TEST_F(json_file_test, may_be_missing) {
  for (auto& path : {folder_.path("missing.json"), folder_.path("no/folder.json"), folder_.write("f", "x") + "/below",
                     std::string{}}) {
    auto f = config::read_json_file(path);
    EXPECT_FALSE(f.exists) << path;
    EXPECT_TRUE(f.content.ok()) << path;
  }
}

TEST_F(json_file_test, that_is_a_link_to_nothing_is_not_missing) {
  std::filesystem::create_symlink("/not/mounted/settings.json", folder_.path("link.json"));
  std::filesystem::create_symlink("/not/mounted", folder_.path("away"));
  for (auto& path :
       {folder_.path("link.json"), folder_.path("away/settings.json"), folder_.path("away/deep/er.json")}) {
    auto f = config::read_json_file(path);
    EXPECT_TRUE(f.exists) << path;
    EXPECT_TRUE(f.content.error.message.starts_with(path + ": can not be read: ")) << f.content.error.message;
    EXPECT_NE(f.content.error.message.find(" a link to /not/mounted"), std::string::npos) << f.content.error.message;
    EXPECT_TRUE(f.content.error.message.ends_with(", which is not there")) << f.content.error.message;
  }
  std::filesystem::create_directory_symlink(folder_.path(""), folder_.path("there"));
  EXPECT_FALSE(config::read_json_file(folder_.path("there/settings.json")).exists) << "the link leads somewhere";
}

TEST_F(json_file_test, may_have_comments_trailing_commas_and_a_byte_order_mark) {
  struct {
    const char *text, *value;
  } const cases[] = {
    {"// first\n{\"a\": 1, // one\n /* two */ \"b\": [1, 2,],}\n// last\n", R"({"a":1,"b":[1,2]})"},
    {"\xEF\xBB\xBF{\"a\":1}", R"({"a":1})"},
    {"\xEF\xBB\xBF// c\r\n{}\r\n", "{}"},
    {"{\"url\":\"http://x//y\"}", R"({"url":"http://x//y"})"},
    {"\n\n{}\n\n", "{}"},
    {"/** doc **/{\"a\":1 /***/, /**/\"b\":\"/* \\\" */\"/* c */}", R"({"a":1,"b":"/* \" */"})"},
  };
  for (auto& c : cases) {
    auto f = read(c.text);
    ASSERT_TRUE(f.content.ok()) << c.text << ": " << f.content.error.message;
    EXPECT_EQ(f.content.value.text(), c.value);
  }
}

TEST_F(json_file_test, faults_name_file_line_and_column) {
  struct {
    const char *text, *position;
  } const cases[] = {
    {"", "line 1, column 1"},
    {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3"},
    {"{\"a\":x}", "line 1, column 6"},
    {"{\n\"a\":\n\nx}", "line 4, column 1"},
    {"\xEF\xBB\xBF{x}", "line 1, column 2"},
    {"{\r\n\"a\": x}", "line 2, column 6"},
  };
  for (auto& c : cases) {
    auto f = read(c.text);
    EXPECT_TRUE(f.exists);
    EXPECT_EQ(f.content.error.code, msg::errc::invalid_argument) << c.text;
    EXPECT_TRUE(f.content.error.message.starts_with(path_ + ": ")) << f.content.error.message;
    EXPECT_NE(f.content.error.message.find(std::string{c.position} + ":"), std::string::npos)
      << testing::PrintToString(c.text) << ": " << f.content.error.message;
  }
}

TEST_F(json_file_test, an_unfinished_file_is_broken) {
  for (auto* text : {"{", "{\"a\":", "[1,", "\"abc", "{\"a\":1", "/* no end"})
    EXPECT_FALSE(read(text).content.ok()) << text;
}

TEST_F(json_file_test, what_comes_behind_the_value_is_broken) { // half of a policy must not be dropped in silence
  for (auto* text : {"{} x", "{}{}", "{\"a\":1},\n{\"b\":2}", "{}}", "[] ]", "{} \"mcpServers\""}) {
    auto f = read(text);
    EXPECT_FALSE(f.content.ok()) << text;
    EXPECT_NE(f.content.error.message.find("line"), std::string::npos) << text;
  }
}

TEST_F(json_file_test, what_can_not_be_read_says_why) {
  auto f = config::read_json_file(folder_.path());
  EXPECT_TRUE(f.exists);
  EXPECT_FALSE(f.content.ok()) << "a folder";
  EXPECT_TRUE(f.content.error.message.starts_with(folder_.path())) << f.content.error.message;
  std::filesystem::create_symlink("loop", folder_.path("loop"));
  f = config::read_json_file(folder_.path("loop"));
  EXPECT_TRUE(f.exists);
  EXPECT_FALSE(f.content.ok());
}

TEST_F(json_file_test, is_not_waited_for) {
  auto path = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto f = config::read_json_file(path);
  EXPECT_TRUE(f.exists);
  EXPECT_NE(f.content.error.message.find("no regular file"), std::string::npos) << f.content.error.message;
}

TEST_F(json_file_test, of_another_encoding_says_so) {
  auto f = read(std::string_view{"\xFF\xFE{\0}\0", 6});
  EXPECT_NE(f.content.error.message.find("UTF-16"), std::string::npos) << f.content.error.message;
}

TEST_F(json_file_test, is_bounded) {
  auto path = folder_.write("big.json", "{}");
  std::filesystem::resize_file(path, msg::limits::config_file_bytes_max + 1); // sparse
  auto f = config::read_json_file(path);
  EXPECT_EQ(f.content.error.code, msg::errc::limit_exceeded);
  EXPECT_NE(f.content.error.message.find("64 MiB"), std::string::npos);
  EXPECT_FALSE(read(std::string(10'000, '[')).content.ok());
}

TEST_F(json_file_test, is_strict_utf8) { EXPECT_FALSE(read("{\"a\":\"\xFF\"}").content.ok()); }

} // namespace config_json_file_test
