// Files of clients in a home and a project of their own, and what is read of them.
#pragma once

#include "config/clients.hpp"
#include "config/server_list.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace config_clients_test {

using strings = std::vector<std::string>;
using pairs = std::vector<std::pair<std::string, std::string>>;
using msg::transport_kind;
using msg::variable_syntax;

class clients_test : public testing::Test {
protected:
  clients_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = "/nowhere";
  }
  config::server_list load() {
    return config::load_servers(env_, "/nowhere/code-executor", [](auto&) { return config::approval::given; });
  }

  /// The only server of one file of a client.
  msg::server_entry only(std::string_view path, std::string_view text) {
    folder_.write(path, text);
    auto l = load();
    std::filesystem::remove(folder_.path(path));
    for (auto& p : l.problems)
      ADD_FAILURE() << p;
    if (l.entries.size() != 1) {
      ADD_FAILURE() << path << ": " << l.entries.size() << " servers";
      return {};
    }
    return l.entries[0];
  }
  test::folder folder_;
  config::environment env_;
};

} // namespace config_clients_test
