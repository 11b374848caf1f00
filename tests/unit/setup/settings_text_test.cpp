#include "setup/settings_text.hpp"

#include "config/settings.hpp"
#include "testing/folder.hpp"
#include "text/json_parse.hpp"

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace setup_settings_text_test {

TEST(settings_text, sets_nothing) {
  test::folder folder;
  config::environment env;
  env.home = folder.path();
  env.cwd = "/";
  auto file = folder.write(".code-executor.json", setup::explained_settings(config::declared_settings()));
  auto read = config::read_settings(env, [](auto) { return std::string{}; });
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.values.file, file);
  for (auto& entry : read.entries)
    EXPECT_TRUE(entry.origins.empty()) << entry.path;
}

TEST(settings_text, is_json_behind_its_comments) {
  auto text = setup::explained_settings(config::declared_settings());
  std::string uncovered;
  for (size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    auto line = text.substr(at, end - at);
    uncovered += (line.starts_with("  // ") ? line.substr(5) : line) + "\n";
    at = end + 1;
  }
  boost::json::value value;
  auto problem = text::parse_json(uncovered, text::json_dialect::edited, value);
  ASSERT_EQ(problem.what, "") << uncovered.substr(problem.at, 100);
  size_t settings = 0;
  for (auto& entry : config::declared_settings()) {
    if (entry.path.empty())
      continue;
    auto* at = &value;
    std::string_view path = entry.path;
    while (at && !path.empty()) {
      auto key = path.substr(0, path.find('.'));
      path.remove_prefix(std::min(key.size() + 1, path.size()));
      at = at->is_object() ? at->get_object().if_contains(key) : nullptr;
    }
    EXPECT_NE(at, nullptr) << entry.path;
    ++settings;
  }
  EXPECT_GT(settings, 50U);
  EXPECT_NE(text.find("\"anthropic\": \"env:ANTHROPIC_API_KEY\""), text.npos);
}

} // namespace setup_settings_text_test
