// Settings as they are read of a file and of variables.
#pragma once

#include "config/settings.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace config_settings_test {

using config::settings;
using msg::errc;
using namespace std::chrono_literals;
using strings = std::vector<std::string>;
using variables = std::map<std::string, std::string>;

class settings_test : public testing::Test {
protected:
  msg::outcome<settings> load(const variables& given = {}) {
    auto lookup = [given](std::string_view name) {
      auto found = given.find(std::string{name});
      return found == given.end() ? std::string{} : found->second;
    };
    auto env = config::read_environment(lookup, folder_.path("project"));
    env.home = folder_.path("home");
    return config::load_settings(env, lookup);
  }
  msg::outcome<settings> load_text(std::string_view text, const variables& given = {}) {
    folder_.write("home/.code-executor.json", text);
    return load(given);
  }
  /// The settings, or a failed test.
  settings accepted(std::string_view text, const variables& given = {}) {
    auto loaded = load_text(text, given);
    EXPECT_TRUE(loaded.ok()) << text << ": " << loaded.error.message;
    return loaded.value;
  }
  std::string refused(std::string_view text, const variables& given = {}) {
    auto loaded = load_text(text, given);
    EXPECT_FALSE(loaded.ok()) << text;
    return loaded.error.message;
  }
  std::string project(std::string_view name) const { return folder_.path("project") + "/" + std::string{name}; }

  test::folder folder_;
};

} // namespace config_settings_test
