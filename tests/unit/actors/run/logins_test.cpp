#include "actors/run/logins.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace actors_run_logins_test {

using msg::errc;
using msg::fault;

class run_logins_test : public testing::Test {
protected:
  void want(const std::string& server) {
    logins_.want(server, [this](const fault& why) { heard_.push_back(why); });
  }
  void end(size_t which, fault why = {}) {
    auto then = open_.at(which); // another one may be begun from within
    then(std::move(why));
  }

  std::vector<std::string> asked_;
  std::vector<actors::run::logins::ended> open_;
  std::vector<fault> heard_;
  actors::run::logins logins_{[this](const std::string& server, auto then) {
    asked_.push_back(server);
    open_.push_back(std::move(then));
  }};
};

TEST_F(run_logins_test, all_calls_of_a_server_wait_for_one) {
  want("a");
  want("a");
  want("b");
  EXPECT_EQ(asked_, (std::vector<std::string>{"a", "b"}));
  end(0);
  ASSERT_EQ(heard_.size(), 2u);
  EXPECT_EQ(heard_[0].code, errc::none);
  end(1, {errc::needs_login, "no"});
  EXPECT_EQ(heard_.at(2).message, "no");
}

TEST_F(run_logins_test, nobody_is_asked_again_who_has_said_no) {
  want("a");
  end(0, {errc::needs_login, "no"});
  want("a");
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_EQ(heard_.at(1).code, errc::needs_login);
  EXPECT_EQ(heard_.at(1).message, "");
}

TEST_F(run_logins_test, a_server_may_want_more_rights_a_few_times) {
  for (uint32_t i = 0; i < actors::run::logins_max; ++i) {
    want("a");
    end(i);
  }
  want("a");
  EXPECT_EQ(asked_.size(), actors::run::logins_max);
  EXPECT_EQ(heard_.back().code, errc::needs_login);
  want("b");
  EXPECT_EQ(asked_.back(), "b");
}

TEST_F(run_logins_test, only_some_are_open_at_once) {
  for (size_t i = 0; i < actors::run::logins_at_once_max; ++i)
    want(std::to_string(i));
  want("more");
  EXPECT_EQ(heard_.at(0).code, errc::overloaded);
  end(0);
  want("more");
  EXPECT_EQ(asked_.back(), "more");
}

} // namespace actors_run_logins_test
