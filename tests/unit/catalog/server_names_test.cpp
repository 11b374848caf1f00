#include "catalog/server_names.hpp"

#include <gtest/gtest.h>

namespace catalog_server_names_test {

using strings = std::vector<std::string>;

const strings servers{"fs", "github", "my-server", "File System", "日本", "---", "mcp-server-weather", "notes.api"};

strings spoken_of(const char* text, const std::set<std::string>& added) {
  catalog::server_names names;
  for (auto& s : servers)
    names.add(s);
  return names.spoken_of_in(text, added);
}

TEST(server_names, a_whole_word_names_a_server) {
  struct {
    const char* text;
    strings named;
  } const cases[] = {
    {"read a file from fs", {"fs"}},
    {"github issues", {"github"}},
    {"GITHUB issues", {"github"}},
    {"an issue on GitHub, please", {"github"}},
    {"(github)", {"github"}},
    {"\"my-server\": its tools", {"my-server"}},
    {"the my server tools", {}},
    {"File System", {"File System"}},
    {"fs and github", {"fs", "github"}},
    {"fss", {}},
    {"git hub", {}},
    {"", {}},
    {"日本", {"日本"}},
    {"---", {"---"}},
    {"anything", {}},
    {"in notes.api.", {"notes.api"}},
    {"weather", {}},
  };
  for (auto& c : cases)
    EXPECT_EQ(spoken_of(c.text, {}), c.named) << c.text;
}

TEST(server_names, a_word_of_its_name_is_enough_for_a_server_that_nobody_knows) {
  const std::set<std::string> all(servers.begin(), servers.end());
  struct {
    const char* text;
    strings named;
  } const cases[] = {
    {"the weather today", {"mcp-server-weather"}},
    {"file system search", {"File System"}},
    {"search the system", {"File System"}},
    {"an mcp server", {}},
    {"github and the weather", {"github", "mcp-server-weather"}},
    {"the WEATHER", {"mcp-server-weather"}},
    {"a note", {}},
    {"fs", {"fs"}},
  };
  for (auto& c : cases)
    EXPECT_EQ(spoken_of(c.text, all), c.named) << c.text;
  EXPECT_EQ(spoken_of("the weather today", {"github"}), strings{});
}

TEST(server_names, the_one_that_shares_most_words_comes_first) {
  catalog::server_names names;
  names.add("aws-docs");
  names.add("aws-docs-search");
  names.add("search-engine");
  EXPECT_EQ(names.spoken_of_in("search the aws docs", {"aws-docs", "aws-docs-search", "search-engine"}),
            (strings{"aws-docs-search", "aws-docs", "search-engine"}));
}

} // namespace catalog_server_names_test
