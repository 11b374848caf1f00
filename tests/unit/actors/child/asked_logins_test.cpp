#include "actors/child/asked_logins.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace actors_child_asked_logins_test {

using msg::errc;
using msg::fault;
using test::doc;
using answer = msg::outcome<msg::document>;

class asked_logins_test : public testing::Test {
protected:
  child::login_routes routes() {
    return {[this](uint64_t number) {
              begun_.push_back(number);
              return std::function<void()>{[this, number] { stopped_.push_back(number); }};
            },
            [this] { ++came_; }};
  }
  void take(uint64_t client, uint64_t run) {
    logins_.take({run, "far", {client, {}}}, {[this, run](msg::server_question asked, auto then) {
                                                asked_.push_back(std::move(asked));
                                                said_[run] = then;
                                              },
                                              [this, run](msg::outcome<bool> is_there) { ended_[run] = is_there; }});
  }
  void page(uint64_t number) { logins_.page(number, {"https://a/authorize", "Log in"}); }
  /// Who was asked by that question, and whether it only waits.
  std::pair<uint64_t, bool> who(size_t question) const {
    return {asked_.at(question).call.run, asked_.at(question).is_asked_elsewhere};
  }
  using whom = std::pair<uint64_t, bool>;

  std::vector<uint64_t> begun_, stopped_;
  int came_ = 0;
  std::vector<msg::server_question> asked_;
  std::map<uint64_t, std::function<void(answer)>> said_;
  std::map<uint64_t, msg::outcome<bool>> ended_;
  child::asked_logins logins_{"far", routes()};
};

TEST_F(asked_logins_test, the_first_run_of_a_client_is_asked_and_the_others_wait_with_it) {
  take(1, 10);
  take(1, 11);
  EXPECT_EQ(begun_, std::vector<uint64_t>{1});
  EXPECT_TRUE(asked_.empty()) << "it is not known yet where to go";
  page(1);
  take(1, 12);
  ASSERT_EQ(asked_.size(), 3u);
  EXPECT_EQ(who(0), (whom{10, false}));
  EXPECT_EQ(who(1), (whom{11, true}));
  EXPECT_EQ(who(2), (whom{12, true}));
  EXPECT_EQ(asked_[0].kind, msg::question_kind::login);
  EXPECT_EQ(asked_[0].server, "far");
  EXPECT_EQ(asked_[0].params.value().at("url"), boost::json::value("https://a/authorize"));
  EXPECT_EQ(asked_[0].params.value().at("elicitationId"), boost::json::value("login-10-1"));
  EXPECT_TRUE(asked_[1].params.value().is_null()) << "nothing is shown";
  said_[10](doc(R"({"action":"accept"})"));
  EXPECT_TRUE(ended_.empty()) << "that is consent only";
  logins_.ended(1, {});
  EXPECT_EQ(ended_.size(), 3u);
  for (auto& [run, is_there] : ended_)
    EXPECT_TRUE(is_there.ok() && is_there.value) << run;
  EXPECT_EQ(came_, 1);
  logins_.ended(1, {});
  page(1);
  said_[11](fault{errc::cancelled, "over"});
  EXPECT_EQ(came_, 1) << "it is over";
  EXPECT_EQ(asked_.size(), 3u);
}

TEST_F(asked_logins_test, each_client_has_its_own_and_what_one_has_done_helps_all) {
  take(1, 10);
  take(2, 20);
  EXPECT_EQ(begun_, (std::vector<uint64_t>{1, 2}));
  page(2);
  page(1);
  EXPECT_EQ(who(0), (whom{20, false}));
  EXPECT_EQ(who(1), (whom{10, false}));
  logins_.ended(2, {});
  EXPECT_TRUE(ended_.at(10).ok());
  EXPECT_TRUE(ended_.at(20).ok());
  EXPECT_EQ(stopped_, (std::vector<uint64_t>{1, 2})) << "the other one has a port open";
}

TEST_F(asked_logins_test, who_says_no_says_it_for_all_runs_of_that_client) {
  take(1, 10);
  take(1, 11);
  take(2, 20);
  page(1);
  said_[10](doc(R"({"action":"decline"})"));
  EXPECT_EQ(ended_.at(10).error.code, errc::needs_login);
  EXPECT_NE(ended_.at(11).error.message.find("does not want to"), std::string::npos);
  EXPECT_FALSE(ended_.contains(20));
  EXPECT_EQ(stopped_, std::vector<uint64_t>{1});
  page(2);
  said_[20](doc(R"({"action":"cancel"})"));
  EXPECT_NE(ended_.at(20).error.message.find("not decided"), std::string::npos);
  EXPECT_EQ(came_, 0);
}

TEST_F(asked_logins_test, a_run_that_leaves_is_followed_by_the_next) {
  take(1, 10);
  take(1, 11);
  page(1);
  said_[10](fault{errc::cancelled, "the run has ended"});
  EXPECT_EQ(ended_.at(10).error.message, "the run has ended");
  ASSERT_EQ(asked_.size(), 3u);
  EXPECT_EQ(who(2), (whom{11, false}));
  EXPECT_EQ(asked_[2].params.value().at("url"), asked_[0].params.value().at("url"));
  EXPECT_NE(asked_[2].params.value().at("elicitationId"), asked_[0].params.value().at("elicitationId"));
  EXPECT_TRUE(stopped_.empty());
  said_[11](fault{errc::call_timeout, "late"});
  EXPECT_EQ(ended_.at(11).error.code, errc::call_timeout);
  EXPECT_EQ(stopped_, std::vector<uint64_t>{1}) << "nobody waits for it";
}

TEST_F(asked_logins_test, one_that_only_waits_leaves_alone) {
  take(1, 10);
  take(1, 11);
  page(1);
  said_[11](fault{errc::cancelled, "the run has ended"});
  EXPECT_FALSE(ended_.contains(10));
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(asked_logins_test, what_fails_is_told_and_may_be_begun_anew) {
  take(1, 10);
  logins_.ended(1, {errc::server_unavailable, "no metadata"});
  EXPECT_EQ(ended_.at(10).error.message, "no metadata");
  take(1, 10);
  EXPECT_EQ(begun_, (std::vector<uint64_t>{1, 2}));
  page(1);
  EXPECT_TRUE(asked_.empty()) << "of the one before";
  logins_.end_all({errc::shutting_down, "stopped"});
  EXPECT_EQ(ended_.at(10).error.code, errc::shutting_down);
  EXPECT_EQ(stopped_.back(), 2u);
}

TEST_F(asked_logins_test, they_are_bounded) {
  for (uint64_t run = 1; run <= child::login_runs_max; ++run)
    take(1, run);
  EXPECT_TRUE(ended_.empty());
  take(1, child::login_runs_max + 1);
  EXPECT_EQ(ended_.at(child::login_runs_max + 1).error.code, errc::overloaded);
  take(1, 1);
  EXPECT_EQ(ended_.at(1).error.code, errc::overloaded) << "a run asks once at a time";
  for (uint64_t client = 2; client <= child::logins_open_max + 1; ++client)
    take(client, 10'000 + client);
  EXPECT_EQ(begun_.size(), child::logins_open_max);
  EXPECT_EQ(ended_.at(10'001 + child::logins_open_max).error.code, errc::overloaded);
}

} // namespace actors_child_asked_logins_test
