#include "proxy/names.hpp"

#include "testing/cpu_time.hpp"
#include "tests/unit/support/places.hpp"
#include "tests/unit/support/tool_sets.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace proxy_names_test {

using proxy::edit_distance;
using strings = std::vector<std::string>;
using views = std::vector<std::string_view>;

int resolve(std::string_view wanted, const views& names) { return proxy::name_table{names}.find(wanted); }

// ---- full names --------------------------------------------------------------------------------

TEST(split, finds_the_longest_server) {
  struct {
    const char* name;
    strings servers;
    const char *server, *tool; ///< null: no full name
  } const cases[] = {
    {"mcp__fs__read", {"fs"}, "fs", "read"},
    {"mcp__fs__read__all", {"fs"}, "fs", "read__all"},
    {"mcp__fs__read__all", {"fs", "fs__read"}, "fs__read", "all"},
    {"mcp__fs__read__all", {"fs__read", "fs"}, "fs__read", "all"},
    {"mcp__fs__read", {"fs", "fs__read"}, "fs", "read"},
    {"mcp__my server__a tool", {"my server"}, "my server", "a tool"},
    {"mcp__a.b/c__d.e/f", {"a.b/c"}, "a.b/c", "d.e/f"},
    {"mcp__fs____x", {"fs"}, "fs", "__x"},
    {"mcp__fs___x", {"fs"}, "fs", "_x"},
    {"mcp__fs___x", {"fs", "fs_"}, "fs_", "x"},
    {"mcp___a__b", {"_a"}, "_a", "b"},
    {"mcp__日本__読む", {"日本"}, "日本", "読む"},
    {"mcp__unknown__tool", {"fs"}, "unknown", "tool"},
    {"mcp__unknown__tool__x", {}, "unknown", "tool__x"},
    {"mcp__fs__", {"fs"}, nullptr, nullptr},
    {"mcp__fs", {"fs"}, nullptr, nullptr},
    {"mcp____read", {"fs"}, nullptr, nullptr},
    {"mcp__", {"fs"}, nullptr, nullptr},
    {"fs__read", {"fs"}, nullptr, nullptr},
    {"MCP__fs__read", {"fs"}, nullptr, nullptr},
    {"", {"fs"}, nullptr, nullptr},
  };
  for (auto& c : cases) {
    auto got = proxy::split(c.name, c.servers);
    ASSERT_EQ(got.has_value(), c.server != nullptr) << c.name;
    if (!got)
      continue;
    EXPECT_EQ(got->server, c.server) << c.name;
    EXPECT_EQ(got->tool, c.tool) << c.name;
  }
}

TEST(split, is_the_inverse_of_full_name_for_configured_servers) {
  test::random_values random{4};
  for (int i = 0; i < 5'000; ++i) {
    static constexpr std::string_view pieces[] = {"a", "b", "_", "__", "-", ".", "é"};
    auto name = [&] {
      std::string out{pieces[random.below(2)]};
      for (auto n = random.below(4); n > 0; --n)
        out += pieces[random.below(std::size(pieces))];
      return out;
    };
    strings servers{name(), name(), name()};
    auto server = servers[random.below(3)], tool = name();
    auto got = proxy::split(proxy::full_name(server, tool), servers);
    ASSERT_TRUE(got);
    EXPECT_EQ(proxy::full_name(got->server, got->tool), proxy::full_name(server, tool));
    EXPECT_GE(got->server.size(), server.size());
  }
}

// ---- aliases -----------------------------------------------------------------------------------

TEST(aliases, are_what_each_language_would_write) {
  struct {
    const char *name, *camel, *snake;
  } const cases[] = {
    {"read-file", "readFile", "read_file"},
    {"read_file", "readFile", "read_file"},
    {"readFile", "readFile", "readFile"},
    {"read", "read", "read"},
    {"read file", "readFile", "read_file"},
    {"read.file/all", "readFileAll", "read_file_all"},
    {"read--file", "readFile", "read_file"},
    {"-read-", "read", "read"},
    {"_private", "_private", "_private"},
    {"a__b", "a__b", "a__b"},
    {"2fa", "_2fa", "_2fa"},
    {"delete", "delete_", "delete_"},
    {"import", "import_", "import_"},
    {"", "_", "_"},
    {"---", "_", "_"},
    {"API-call", "APICall", "API_call"},
  };
  for (auto& c : cases) {
    auto got = proxy::aliases_of(c.name);
    EXPECT_EQ(got.camel, c.camel) << c.name;
    EXPECT_EQ(got.snake, c.snake) << c.name;
  }
}

TEST(aliases, of_keywords_of_either_language_are_made_safe) {
  const std::string_view python[] = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                     "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                     "else",   "except", "finally", "for",      "from",     "global", "if",
                                     "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                     "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
  const std::string_view typescript[] = {
    "break",   "case",       "catch",  "class",   "const",  "continue", "debugger",   "default",   "delete", "do",
    "else",    "enum",       "export", "extends", "false",  "finally",  "for",        "function",  "if",     "import",
    "in",      "instanceof", "new",    "null",    "return", "super",    "switch",     "this",      "throw",  "true",
    "try",     "typeof",     "var",    "void",    "while",  "with",     "implements", "interface", "let",    "package",
    "private", "protected",  "public", "static",  "yield",  "await"};
  for (auto word : python)
    EXPECT_EQ(proxy::aliases_of(word).snake, std::string{word} + "_");
  for (auto word : typescript)
    EXPECT_EQ(proxy::aliases_of(word).camel, std::string{word} + "_");
}

TEST(aliases, are_identifiers_whatever_the_name) {
  test::random_values random{8};
  for (int i = 0; i < 5'000; ++i) {
    auto name = random.text(8);
    auto a = proxy::aliases_of(name);
    for (auto& alias : {a.camel, a.snake}) {
      ASSERT_FALSE(alias.empty());
      EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(alias[0]))) << name;
      for (char c : alias)
        EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '_') << name << " -> " << alias;
    }
  }
}

// ---- resolve -----------------------------------------------------------------------------------

TEST(resolve, takes_the_raw_name_then_an_alias_then_the_only_near_spelling) {
  views names{"read-file", "read_file", "list.all", "delete", "GetUser", "get-things", "getthings2"};
  struct {
    const char* wanted;
    int index;
  } const cases[] = {
    {"read-file", 0}, {"read_file", 1}, {"readFile", 0}, {"list.all", 2}, {"listAll", 2},  {"list_all", 2},
    {"delete", 3},    {"delete_", 3},   {"getuser", 4},  {"get_user", 4}, {"GET-USER", 4}, {"get_things", 5},
    {"readfile", -1}, {"nothing", -1},  {"", -1},        {"_", -1},       {"---", -1},
  };
  for (auto& c : cases)
    EXPECT_EQ(resolve(c.wanted, names), c.index) << c.wanted;
  EXPECT_EQ(resolve("x", {}), -1);
  using namespace std::string_view_literals;
  for (auto hidden : {"ki\0d"sv, "kid\0"sv, "kid\n"sv, "\u0085kid"sv})
    EXPECT_EQ(resolve(hidden, {"kid"}), -1);
  EXPECT_EQ(resolve("kid\n", {"kid", "kid\n"}), 1) << "a server may name its tools so";
}

TEST(resolve, every_alias_leads_to_a_tool_that_has_it) {
  test::random_values random{12};
  for (int i = 0; i < 300; ++i) {
    strings raw;
    for (int n = 0; n < 6; ++n)
      raw.push_back(random.text(5));
    views names{raw.begin(), raw.end()};
    for (auto& name : raw) {
      EXPECT_EQ(raw[static_cast<size_t>(resolve(name, names))], name);
      for (auto& alias : {proxy::aliases_of(name).camel, proxy::aliases_of(name).snake}) {
        auto found = resolve(alias, names);
        ASSERT_GE(found, 0) << alias;
        auto a = proxy::aliases_of(raw[static_cast<size_t>(found)]);
        EXPECT_TRUE(raw[static_cast<size_t>(found)] == alias || a.camel == alias || a.snake == alias);
      }
    }
  }
}

TEST(resolve, letters_of_other_alphabets_are_no_punctuation) { // else a call reaches another tool than was named
  EXPECT_EQ(resolve("删除-file", {"读取-file"}), -1);
  EXPECT_EQ(resolve("удалить1", {"читать1"}), -1);
  EXPECT_EQ(resolve("file", {"читать-file"}), -1);
}

// ---- edit distance -----------------------------------------------------------------------------

/// Optimal string alignment, the whole table.
size_t naive_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

TEST(edit_distance, knows_some_distances) {
  struct {
    const char *a, *b;
    size_t distance;
  } const cases[] = {{"", "", 0},
                     {"a", "a", 0},
                     {"a", "", 1},
                     {"abc", "abd", 1},
                     {"abc", "acb", 1},
                     {"search", "serach", 1},
                     {"kitten", "sitting", 3},
                     {"ca", "abc", 3}};
  for (auto& c : cases) {
    EXPECT_EQ(edit_distance(c.a, c.b, 10), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a, 10), c.distance) << c.b << " " << c.a;
  }
}

TEST(edit_distance, agrees_with_the_whole_table_within_its_bound) {
  test::random_values random{6};
  auto word = [&] {
    std::string out;
    for (auto n = random.below(9); n > 0; --n)
      out += static_cast<char>('a' + random.below(3));
    return out;
  };
  for (int i = 0; i < 20'000; ++i) {
    auto a = word(), b = word();
    auto bound = random.below(6);
    auto d = naive_distance(a, b);
    if (d <= bound) {
      ASSERT_EQ(edit_distance(a, b, bound), d) << a << " " << b << " bound " << bound;
    } else {
      ASSERT_GT(edit_distance(a, b, bound), bound) << a << " " << b << " bound " << bound;
    }
  }
}

TEST(edit_distance, is_bound_plus_one_beyond_the_bound) {
  EXPECT_EQ(edit_distance("abcdxy", "zwabcd", 2), 3u);
  EXPECT_EQ(edit_distance("abcxyz", "abc", 2), 3u);
  EXPECT_EQ(edit_distance("abc", "xyz", 2), 3u);
}

// ---- names of published tools ------------------------------------------------------------------

TEST(resolve, finds_every_published_tool_by_its_name_and_by_both_of_its_aliases) {
  size_t tools = 0, odd = 0;
  for (auto& bar : tool_sets::bars)
    for (auto& [server, texts] : tool_sets::load(test::source("bench/data/tool-search"), bar.set).servers) {
      views names;
      for (auto& t : texts)
        names.push_back(t.name);
      auto all = text::unique_aliases(names);
      for (size_t i = 0; i < names.size(); ++i) {
        // A name listed twice is the first.
        auto own = static_cast<size_t>(std::find(names.begin(), names.end(), names[i]) - names.begin());
        for (auto& written : {std::string{names[i]}, all[own].camel, all[own].snake})
          ASSERT_EQ(resolve(written, names), static_cast<int>(own)) << server << ": " << written;
        auto full = proxy::split(proxy::full_name(server, names[i]), {server, "other"});
        ASSERT_TRUE(full && full->server == server && full->tool == names[i]) << server << " " << names[i];
        odd += all[own].snake != names[i];
      }
      tools += names.size();
    }
  EXPECT_GT(tools, 4'000u);
  EXPECT_GE(odd, 15u) << "names that are no identifiers";
}

// ---- nearest -----------------------------------------------------------------------------------

TEST(nearest, takes_little_time_whatever_is_compared) { // with what a guest calls and a server lists, on the one thread
  std::mt19937 random{1};
  auto text = [&](size_t size) {
    std::string out(size, 'a');
    for (auto& c : out)
      c = random() % 2 ? 'a' : 'b';
    return out;
  };
  for (size_t size : {100u, 500u, 4'000u}) {
    std::vector<std::string> all(2'000);
    for (auto& name : all)
      name = text(size);
    std::vector<std::string_view> names{all.begin(), all.end()};
    auto wanted = text(size);
    auto begin = test::cpu_time();
    proxy::nearest(wanted, names);
    // 2 ms without sanitizers; without a bound 1.5 s and more.
    EXPECT_LT(test::cpu_time() - begin, std::chrono::milliseconds{500}) << size;
  }
}

TEST(nearest, finds_what_was_meant) {
  views names{"read_file", "write_file", "list_directory", "search_files", "create_issue"};
  struct {
    const char *wanted, *first;
  } const cases[] = {{"read_flie", "read_file"},     {"readfile", "read_file"},       {"writeFile", "write_file"},
                     {"list_dir", "list_directory"}, {"search_file", "search_files"}, {"create-isue", "create_issue"},
                     {"issue", "create_issue"}};
  for (auto& c : cases) {
    auto got = proxy::nearest(c.wanted, names);
    ASSERT_FALSE(got.empty()) << c.wanted;
    EXPECT_EQ(got[0], c.first) << c.wanted;
    EXPECT_LE(got.size(), 3u);
  }
  EXPECT_TRUE(proxy::nearest("zzzzzzzzzz", names).empty());
  EXPECT_TRUE(proxy::nearest("anything", {}).empty());
  EXPECT_EQ(proxy::nearest("file", names, 1).size(), 1u);
}

TEST(name_table, knows_whose_aliases_are_anothers) {
  proxy::name_table table{{"read-file", "read_file", "write-file", "odd kid.2", "odd-kid.2", "plain"}};
  EXPECT_FALSE(table.is_found_by_aliases("read-file")) << "read_file is another's name";
  EXPECT_FALSE(table.is_found_by_aliases("read_file")) << "readFile is that of the first";
  EXPECT_TRUE(table.is_found_by_aliases("write-file"));
  EXPECT_TRUE(table.is_found_by_aliases("odd kid.2"));
  EXPECT_FALSE(table.is_found_by_aliases("odd-kid.2"));
  EXPECT_TRUE(table.is_found_by_aliases("plain"));
  EXPECT_FALSE(table.is_found_by_aliases("nobody"));
}

} // namespace proxy_names_test
