// A home folder with clients, and the plan of a set-up for it.
#pragma once

#include "setup/plan.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace test {

class setup_plan : public testing::Test {
protected:
  setup_plan() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    env_.path = folder_.path("bin");
    folder_.write_program("bin/code-executor");
  }

  std::string own() const { return folder_.path("bin/code-executor"); }
  std::string servers_file() const { return env_.home + "/.config/code-executor/servers.json"; }

  setup::client_look look(const char* name) {
    config::start_detector own_program{config::own_program{own()}, env_};
    auto* c = setup::find_client(name);
    return setup::look_at(*c, setup::place_of(*c, env_), env_, own_program);
  }

  setup::setup_plan make(const std::vector<std::string>& names, setup::servers_wish servers = setup::servers_wish::stay,
                         setup::own_entry_wish entry = setup::own_entry_wish::put) {
    looks_.clear();
    for (auto& name : names)
      looks_.push_back(look(name.c_str()));
    std::vector<setup::client_choice> choices;
    for (auto& each : looks_)
      choices.push_back({&each, entry, servers});
    return setup::make_plan(choices, looks_, own(), servers_file());
  }

  void write(const setup::setup_plan& p) {
    std::vector<std::string> made;
    for (auto& change : p.changes())
      EXPECT_EQ(setup::replace_file(change.path, change.before, change.after, made, change.rights).message, "");
  }

  std::string stays(const setup::client_plan& p, const std::string& name) {
    for (auto& each : p.staying)
      if (each.name == name)
        return each.why;
    return {};
  }

  folder folder_;
  config::environment env_;
  std::vector<setup::client_look> looks_;
};

} // namespace test
