#include "actors/bridge/late_guest.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>

namespace actors_bridge_late_guest_test {

using msg::errc;

struct told_guest final : sandbox::guest {
  std::vector<std::string> told;
  std::pair<uint64_t, uint64_t> held;
  bool is_watched = false, is_finished = false;

  bool send(msg::spliced_text frame) override { return told.push_back(frame.text()), true; }
  void hold_at_most(uint64_t bytes_max, uint64_t elsewhere) override { held = {bytes_max, elsewhere}; }
  void watch_memory() override { is_watched = true; }
  msg::guest_output collect() override { return {}; }
  msg::guest_output finish() override { return is_finished = true, msg::guest_output{}; }
};

class late_guest_test : public testing::Test {
protected:
  std::shared_ptr<sandbox::guest> begin() {
    sandbox::guest_events events;
    events.ended = [this](msg::guest_exit how) { ended_.push_back(std::move(how)); };
    return bridge::make_late_guest({io_.get_executor(), io_.get_executor(), [this] { return box_; },
                                    [this](const sandbox::box&, sandbox::guest_events) {
                                      ++started_;
                                      return may_start_;
                                    }},
                                   std::move(events));
  }
  void settle() {
    io_.restart();
    io_.run();
  }

  asio::io_context io_;
  std::shared_ptr<told_guest> real_ = std::make_shared<told_guest>();
  msg::outcome<sandbox::box> box_{sandbox::box{}};
  msg::outcome<std::shared_ptr<sandbox::guest>> may_start_{std::shared_ptr<sandbox::guest>{real_}};
  int started_ = 0;
  std::vector<msg::guest_exit> ended_;
};

TEST_F(late_guest_test, hears_what_it_was_told_before_it_came_and_after) {
  auto guest = begin();
  guest->hold_at_most(5, 7);
  guest->watch_memory();
  EXPECT_TRUE(guest->send(msg::spliced_text{"one"}));
  EXPECT_TRUE(real_->told.empty());
  settle();
  EXPECT_EQ(real_->told, std::vector<std::string>{"one"});
  EXPECT_EQ(real_->held, (std::pair<uint64_t, uint64_t>{5, 7}));
  EXPECT_TRUE(real_->is_watched);
  EXPECT_TRUE(guest->send(msg::spliced_text{"two"}));
  EXPECT_EQ(real_->told.back(), "two");
  guest->finish();
  EXPECT_TRUE(real_->is_finished);
  EXPECT_TRUE(ended_.empty()) << "which it tells itself";
}

TEST_F(late_guest_test, keeps_only_so_much) {
  auto guest = begin();
  int taken = 0;
  while (taken < 100 && guest->send(msg::spliced_text{"x"}))
    ++taken;
  EXPECT_GE(taken, 2);
  EXPECT_LT(taken, 10);
  settle();
}

TEST_F(late_guest_test, that_nobody_wants_any_more_is_not_started) {
  auto guest = begin();
  guest->finish();
  EXPECT_FALSE(guest->send(msg::spliced_text{"x"}));
  settle();
  EXPECT_EQ(started_, 0);
  ASSERT_EQ(ended_.size(), 1u);
  EXPECT_TRUE(ended_[0].by_signal);
  EXPECT_EQ(ended_[0].code, SIGKILL);
}

TEST_F(late_guest_test, that_can_not_come_says_why) {
  box_ = msg::fault{errc::not_allowed, "no such right"};
  auto refused = begin();
  settle();
  EXPECT_EQ(started_, 0);
  box_ = sandbox::box{};
  may_start_ = msg::fault{errc::overloaded, "no descriptors"};
  auto failed = begin();
  settle();
  ASSERT_EQ(ended_.size(), 2u);
  EXPECT_EQ(ended_[0].cause, errc::not_allowed);
  EXPECT_EQ(ended_[0].problem, "no such right");
  EXPECT_FALSE(ended_[0].by_signal);
  EXPECT_EQ(ended_[1].cause, errc::overloaded);
  EXPECT_FALSE(failed->send(msg::spliced_text{"x"}));
}

} // namespace actors_bridge_late_guest_test
