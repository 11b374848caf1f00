// A project and another folder, some names of which are kept.
#pragma once

#include "sandbox/launch/kept.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace sandbox_kept_tests {

namespace fs = std::filesystem;
using msg::errc;
using sandbox::access;
using sandbox::kept_mounts;
using strings = std::vector<std::string>;

class kept_test : public testing::Test {
protected:
  kept_test() {
    fs::create_directories(world_.path("project/sub"));
    fs::create_directories(world_.path("other"));
    for (auto* name : {"project", "project/sub", "other", ""})
      fs::permissions(world_.path(name), fs::perms::all);
    policy_.write = {world_.path()};
    policy_.folder = world_.path();
    for (auto* name : {".mcp.json", "crush.json"})
      policy_.kept.push_back({world_.path(std::string{"project/"} + name), false});
    policy_.kept.push_back({world_.path("project/.cursor"), true});
    policy_.kept_names = {{".mcp.json", false}, {".cursor", true}};
  }

  msg::outcome<kept_mounts> keep(strings write, strings read = {}) {
    auto grants = sandbox::resolve_grants({std::move(read), std::move(write), {}}, policy_);
    EXPECT_TRUE(grants.ok()) << grants.error.message;
    return sandbox::keep(grants.value, policy_);
  }
  strings read_only(const kept_mounts& kept) const {
    strings out;
    for (auto& m : kept.mounts)
      if (m.mode == access::read_only)
        out.push_back(fs::path{m.to.text()}.lexically_relative(world_.path()).string());
    std::sort(out.begin(), out.end());
    return out;
  }
  bool exists(const std::string& name) const { return fs::exists(fs::symlink_status(world_.path(name))); }

  test::folder world_;
  sandbox::path_policy policy_;
};

} // namespace sandbox_kept_tests
