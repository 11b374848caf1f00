#include "proxy/allowlist.hpp"

#include "proxy/names.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace proxy_allowlist_test {

/// The definition, pattern by pattern and as slow as it likes.
bool reference(std::string_view pattern, std::string_view server, std::string_view tool,
               const proxy::server_names& all) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto names = [&](std::string_view s) { return fixed.starts_with(proxy::full_name(s, "")); };
  bool names_some = fixed.starts_with("mcp__") && fixed.find("__", 6) != fixed.npos; // of whatever server
  if (!names_some)
    return proxy::matches(pattern, proxy::full_name(server, tool));
  bool names_longer =
    std::any_of(all.begin(), all.end(), [&](auto& s) { return s.size() > server.size() && names(s); });
  return names(server) && !names_longer && proxy::matches(pattern.substr(proxy::full_name(server, "").size()), tool);
}

bool matches_tool(const std::string& pattern, std::string_view server, std::string_view tool,
                  const proxy::server_names& all) {
  return proxy::tool_patterns{{pattern}, all}.match(server, tool);
}

TEST(tool_patterns, agree_with_their_definition) {
  test::random_values random{5};
  static constexpr std::string_view pieces[] = {"mcp__", "a", "b", "_", "*", "__", "mcp", "a__", "a__b__"};
  auto text = [&](size_t n_max) {
    std::string out;
    for (auto n = random.below(n_max + 1); n > 0; --n)
      out += pieces[random.below(std::size(pieces))];
    return out;
  };
  const proxy::server_names all{"a", "b", "ab", "a__b", "a_"};
  int hits = 0;
  for (int i = 0; i < 4'000; ++i) {
    std::vector<std::string> patterns;
    for (auto n = random.below(12); n > 0; --n)
      patterns.push_back((random.below(4) ? "mcp__" : "") + text(4));
    proxy::tool_patterns ready{patterns, all};
    for (auto* server : {"a", "b", "ab", "a__b", "a_", "gone", "a__b__a"}) {
      proxy::patterns_of_server of_server{ready, server};
      for (int k = 0; k < 3; ++k) {
        auto tool = text(3);
        bool expected =
          std::any_of(patterns.begin(), patterns.end(), [&](auto& p) { return reference(p, server, tool, all); });
        hits += expected;
        ASSERT_EQ(ready.match(server, tool), expected)
          << server << " / " << tool << " of " << testing::PrintToString(patterns);
        ASSERT_EQ(of_server.match(tool), expected)
          << server << " / " << tool << " of " << testing::PrintToString(patterns);
      }
    }
  }
  EXPECT_GT(hits, 2'000);
}

TEST(allows, everything_or_what_a_pattern_matches) {
  const proxy::server_names all{"fs", "x", "f"};
  EXPECT_TRUE(proxy::allows({}, "fs", "read", all));
  EXPECT_FALSE(proxy::allows({false, {}, {}}, "fs", "read", all)) << "given and empty: nothing";
  EXPECT_TRUE(proxy::allows({false, {"mcp__x__*", "mcp__fs__*"}, {}}, "fs", "read", all));
  EXPECT_FALSE(proxy::allows({false, {"mcp__x__*", "mcp__f__*"}, {}}, "fs", "read", all));
  EXPECT_TRUE(proxy::allows({true, {"nothing"}, {}}, "fs", "read", all));
}

TEST(allows, a_list_of_servers_means_these_and_no_longer_names) {
  const proxy::server_names all{"a", "a__b"};
  EXPECT_TRUE(proxy::allows({true, {}, {"a"}}, "a", "b__x", all));
  EXPECT_FALSE(proxy::allows({true, {}, {"a"}}, "a__b", "x", all));
  EXPECT_TRUE(proxy::allows({true, {}, {"a__b"}}, "a__b", "x", all));
}

TEST(matches_tool, means_the_server_that_the_pattern_names) {
  const proxy::server_names all{"a", "a__b", "ab", "a b"};
  struct {
    const char *pattern, *server, *tool;
    bool yes;
  } const cases[] = {
    {"mcp__a__*", "a", "x", true},
    {"mcp__a__*", "a__b", "x", false},
    {"mcp__a__*", "a", "b__x", true},
    {"mcp__a__b__*", "a__b", "x", true},
    {"mcp__a__b__*", "a", "b__x", false},
    {"mcp__a__b__x", "a__b", "x", true},
    {"mcp__a__b__x", "a", "b__x", false},
    {"mcp__a__b*", "a", "bx", true},
    {"mcp__a__b*", "a__b", "x", false},
    {"mcp__a__x", "a", "x", true},
    {"mcp__ab__*", "ab", "x", true},
    {"mcp__ab__*", "a__b", "x", false},
    {"mcp__a b__*", "a b", "x", true},
    {"mcp__gone__*", "gone", "x", true}, // not configured any more, and still used by a run
    {"mcp__gone__*", "gone__too", "x", false},
    {"mcp__a*", "a__b", "x", true}, // these name no server
    {"mcp__a*", "ab", "x", true},
    {"mcp__*__x", "a__b", "x", true},
    {"mcp__*", "a__b", "x", true},
    {"*__x", "a__b", "x", true},
    {"*", "a__b", "x", true},
    {"mcp__a__", "a", "", true},
    {"mcp__a__*", "A", "x", false},
  };
  for (auto& c : cases) {
    EXPECT_EQ(matches_tool(c.pattern, c.server, c.tool, all), c.yes)
      << c.pattern << " on " << c.server << " / " << c.tool;
    EXPECT_EQ(proxy::tool_patterns::matches_one(c.pattern, c.server, c.tool, all), c.yes)
      << c.pattern << " on " << c.server << " / " << c.tool;
  }
}

TEST(server_in, is_the_longest_configured_one) {
  const proxy::server_names all{"a", "a__b"};
  EXPECT_EQ(proxy::server_in("mcp__a__*", all), "a");
  EXPECT_EQ(proxy::server_in("mcp__a__b__*", all), "a__b");
  EXPECT_EQ(proxy::server_in("mcp__a__b__x", all), "a__b");
  EXPECT_EQ(proxy::server_in("mcp__a__b", all), "a");
  for (auto* none : {"mcp__a*", "mcp__a", "*", "mcp__*__x", "mcp__other__*", "a__b__*", ""})
    EXPECT_EQ(proxy::server_in(none, all), std::nullopt) << none;
}

TEST(allows_some, follows_the_contract) {
  struct {
    const char *pattern, *server;
    bool yes;
  } const cases[] = {
    {"*", "fs", true},
    {"mcp__*", "fs", true},
    {"mcp__fs__*", "fs", true},
    {"mcp__fs__read", "fs", true},
    {"mcp__fs__*", "fs2", false},
    {"mcp__fs2__*", "fs", false},
    {"mcp__*__read", "fs", true},
    {"mcp__f*", "fs", true},
    {"mcp__g*", "fs", false},
    {"mcp__fs", "fs", false},
    {"mcp__fs__", "fs", false},
    {"", "fs", false},
    {"*read", "fs", true},
    {"fs", "fs", false},
    {"mcp__FS__*", "fs", false},
    {"mcp__fs*", "fs", true},
  };
  for (auto& c : cases)
    EXPECT_EQ(proxy::allows_some({false, {c.pattern}, {}}, c.server, {"fs", "fs2"}), c.yes)
      << c.pattern << " on " << c.server;
  EXPECT_TRUE(proxy::allows_some({}, "fs", {}));
  EXPECT_FALSE(proxy::allows_some({false, {}, {}}, "fs", {}));
  const proxy::server_names all{"a", "a__b"};
  EXPECT_FALSE(proxy::allows_some({false, {"mcp__a__*"}, {}}, "a__b", all));
  EXPECT_FALSE(proxy::allows_some({false, {"mcp__a__b__*"}, {}}, "a", all));
  EXPECT_TRUE(proxy::allows_some({false, {"mcp__a__b*"}, {}}, "a", all));
}

TEST(allows_some, is_true_exactly_if_some_tool_is_allowed) {
  std::vector<std::string> tools; // every name of up to four characters
  std::vector<std::string> grow{""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    for (auto& t : grow)
      for (char c : {'a', 'b', '_'})
        longer.push_back(t + c);
    tools.insert(tools.end(), longer.begin(), longer.end());
    grow = longer;
  }
  test::random_values random{9};
  for (int i = 0; i < 4'000; ++i) {
    static constexpr std::string_view pieces[] = {"mcp__", "a", "b", "_", "*", "__", "mcp", "a__"};
    std::string pattern = random.below(3) ? "mcp__" : "";
    for (auto n = random.below(4); n > 0; --n)
      pattern += pieces[random.below(std::size(pieces))];
    const proxy::server_names all{"a", "b", "ab", "a__b"};
    const proxy::tool_patterns ready{{pattern}, all};
    for (auto& server : all) {
      auto prefix = proxy::full_name(server, "");
      bool some = std::any_of(tools.begin(), tools.end(), [&](auto& t) { return ready.match(server, t); });
      auto claimed = proxy::allows_some({false, {pattern}, {}}, server, all);
      ASSERT_TRUE(claimed || !some) << pattern << " on " << server << ": a tool that is allowed could never be called";
      if (pattern.size() <= prefix.size() + 4 && pattern.find('*') == pattern.npos
          && pattern.find('m', prefix.size()) == pattern.npos) {
        ASSERT_EQ(claimed, some) << pattern << " on " << server;
      }
    }
  }
}

TEST(refusal, names_the_tool_and_the_patterns_that_would_allow_it) {
  auto f = proxy::refusal("fs", "read");
  EXPECT_EQ(f.code, msg::errc::not_allowed);
  EXPECT_EQ(f.server, "fs");
  EXPECT_EQ(f.tool, "read");
  EXPECT_NE(f.message.find("mcp__fs__read"), std::string::npos);
  EXPECT_NE(f.message.find("mcp__fs__*"), std::string::npos);
  EXPECT_TRUE(f.suggestions.empty());
}

} // namespace proxy_allowlist_test
