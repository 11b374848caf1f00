#include "sandbox/launch/start_turns.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace start_turns_test {

class start_turns_test : public testing::Test {
protected:
  void enter(char name, std::chrono::milliseconds takes = {}) {
    turns_->enter([this, name, takes] {
      told_ += name;
      std::this_thread::sleep_for(takes); // what a start does to the thread
    });
  }
  void post(char name) {
    asio::post(io_, [this, name] { told_ += name; });
  }

  asio::io_context io_;
  std::shared_ptr<sandbox::start_turns> turns_ = std::make_shared<sandbox::start_turns>(io_.get_executor());
  std::string told_;
};

TEST_F(start_turns_test, the_first_start_waits_for_nothing) {
  enter('a');
  EXPECT_EQ(told_, "a");
}

TEST_F(start_turns_test, others_have_the_thread_between_two_starts) {
  for (char name : {'a', 'b', 'c'})
    enter(name, std::chrono::milliseconds{5});
  post('1');
  EXPECT_EQ(told_, "a");
  io_.run();
  EXPECT_EQ(told_, "a1bc");
}

TEST_F(start_turns_test, a_start_may_ask_for_another) {
  turns_->enter([this] {
    told_ += 'a';
    enter('b');
  });
  EXPECT_EQ(told_, "a");
  io_.run();
  EXPECT_EQ(told_, "ab");
}

TEST_F(start_turns_test, a_later_start_finds_no_pause) {
  enter('a', std::chrono::milliseconds{1});
  io_.run();
  enter('b');
  EXPECT_EQ(told_, "ab");
}

TEST_F(start_turns_test, what_waits_is_forgotten_with_it) {
  enter('a', std::chrono::milliseconds{5});
  enter('b');
  turns_.reset();
  io_.run();
  EXPECT_EQ(told_, "a");
}

} // namespace start_turns_test
