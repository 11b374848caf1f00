// The start of a box in its turn, and what becomes of one whose turn is not needed any more. A script stands for
// bubblewrap.
#include "sandbox/launch/guest.hpp"

#include "sandbox/launch/start_turns.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/loop.hpp"

#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

namespace sandbox_box_guest_test {

class box_guest_test : public testing::Test {
protected:
  box_guest_test() {
    tools_.bubblewrap = folder_.write("bwrap", "#!/bin/sh\ntouch " + begun_ + "\nexec sleep 60\n");
    for (auto& path : {folder_.path(), tools_.bubblewrap}) // root starts it as another user
      std::filesystem::permissions(path, std::filesystem::perms::all);
    tools_.guest_init = folder_.write_program("guest-init");
    tools_.isolated.mode = sandbox::isolation_mode::namespaces;
    box_.mounts = {{folder_.path(), "/guest"}};
    box_.command = {"/guest/main"};
  }
  ~box_guest_test() override {
    if (guest_)
      guest_->finish();
    EXPECT_TRUE(until([&] { return ended_.has_value() || !guest_; }));
    guest_.reset();
    io_.restart();
    io_.run_for(std::chrono::milliseconds{10});
    workers_.join();
  }

  void start() {
    sandbox::guest_events events;
    events.frame = [](msg::document) -> asio::awaitable<void> { co_return; };
    events.ended = [this](msg::guest_exit how) { ended_ = std::move(how); };
    auto started = sandbox::start_guest({io_.get_executor(), workers_.get_executor(), {}, {}, {}, turns_}, box_, tools_,
                                        std::move(events));
    ASSERT_TRUE(started.ok()) << started.error.message;
    guest_ = std::move(started.value);
  }
  /// The next start waits for its turn.
  void keep_turns_busy() {
    turns_->enter([] { std::this_thread::sleep_for(std::chrono::milliseconds{10}); });
  }
  bool has_begun() const { return std::filesystem::exists(begun_); }
  template <class Condition>
  bool until(Condition condition) {
    return test::run_until(io_, condition);
  }

  test::folder folder_;
  std::string begun_ = folder_.path() + "/begun";
  asio::io_context io_;
  asio::thread_pool workers_{1};
  std::shared_ptr<sandbox::start_turns> turns_ = std::make_shared<sandbox::start_turns>(io_.get_executor());
  sandbox::isolation_tools tools_;
  sandbox::box box_;
  std::shared_ptr<sandbox::guest> guest_;
  std::optional<msg::guest_exit> ended_;
};

TEST_F(box_guest_test, starts_at_once_when_no_other_start_is_ahead) {
  start();
  EXPECT_TRUE(until([&] { return has_begun(); }));
}

TEST_F(box_guest_test, starts_when_its_turn_has_come) {
  keep_turns_busy();
  start();
  EXPECT_FALSE(has_begun());
  EXPECT_TRUE(until([&] { return has_begun(); }));
  EXPECT_FALSE(ended_);
}

TEST_F(box_guest_test, is_not_started_when_it_was_ended_before_its_turn) {
  keep_turns_busy();
  start();
  guest_->finish();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_TRUE(ended_->by_signal);
  EXPECT_EQ(ended_->code, SIGKILL);
  EXPECT_EQ(ended_->problem, "");
  io_.restart();
  io_.run_for(std::chrono::milliseconds{50}); // its turn comes
  EXPECT_FALSE(has_begun());
}

TEST_F(box_guest_test, a_start_that_fails_is_its_end) {
  tools_.bubblewrap = folder_.path() + "/nothing";
  keep_turns_busy();
  start();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->cause, msg::errc::runtime_missing);
  EXPECT_EQ(ended_->problem, "the sandbox cannot start " + tools_.bubblewrap + ": No such file or directory");
}

} // namespace sandbox_box_guest_test
