// A reader that is ahead of the actor which takes its messages, on one real io_context.
#include "actors/bridge/credit_line.hpp"

#include "actors/bridge/asio_scheduler.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <deque>

namespace {

using take_atom = caf::atom_constant<caf::atom("take")>;
using taker = caf::typed_actor<caf::replies_to<take_atom, int>::with<bool>>;

/// Takes a message when the test says so.
struct taken {
  std::deque<caf::typed_response_promise<bool>> open;
  std::vector<int> all;
};

taker::behavior_type take(taker::pointer self, std::shared_ptr<taken> t) {
  return {[self, t](take_atom, int number) -> caf::result<bool> {
    t->all.push_back(number);
    t->open.push_back(self->make_response_promise<bool>());
    return t->open.back();
  }};
}

struct credit_line_test : ::testing::Test {
  asio::io_context io{1};
  caf::actor_system_config cfg;
  std::unique_ptr<caf::actor_system> sys;
  caf::strong_actor_ptr port;
  std::shared_ptr<taken> world = std::make_shared<taken>();
  taker actor;
  std::shared_ptr<bridge::credit_line> line;
  int sent = 0; ///< for which there was credit
  bool ended = false;
  std::string failure;

  credit_line_test() {
    bridge::asio_scheduler::load(cfg, io);
    sys = std::make_unique<caf::actor_system>(cfg);
    port = bridge::reply_port::make(*sys);
    actor = sys->spawn(take, world);
    line = std::make_shared<bridge::credit_line>(io.get_executor(), port);
  }
  ~credit_line_test() override {
    line = nullptr;
    kill();
    world->open.clear();
    settle();
    port = nullptr;
    sys.reset();
  }
  void kill() {
    if (actor)
      caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
    settle();
  }
  void settle() {
    io.restart();
    io.poll();
  }
  asio::awaitable<void> read(std::vector<size_t> sizes) {
    try {
      for (auto bytes : sizes) {
        co_await line->hand_over(bytes, actor, take_atom::value, sent + 1);
        ++sent;
      }
    } catch (const std::exception& e) {
      failure = e.what();
    }
    ended = true;
  }
  void begin(std::vector<size_t> sizes) {
    asio::co_spawn(io, read(std::move(sizes)), asio::detached);
    settle();
  }
  void take_one() {
    world->open.front().deliver(true);
    world->open.pop_front();
    settle();
  }
};

TEST_F(credit_line_test, a_reader_is_some_messages_ahead) {
  begin(std::vector<size_t>(bridge::credit_max * 2, 100));
  EXPECT_EQ(world->all.size(), bridge::credit_max);
  take_one();
  EXPECT_EQ(world->all.size(), bridge::credit_max + 1);
  while (!world->open.empty())
    take_one();
  EXPECT_TRUE(ended);
  EXPECT_EQ(failure, "");
  EXPECT_EQ(world->all.size(), bridge::credit_max * 2);
  EXPECT_TRUE(std::is_sorted(world->all.begin(), world->all.end()));
}

TEST_F(credit_line_test, credit_comes_back_in_any_order) {
  begin(std::vector<size_t>(bridge::credit_max + 3, 100));
  for (int i = 0; i < 3; ++i) {
    world->open.back().deliver(true);
    world->open.pop_back();
    settle();
  }
  EXPECT_EQ(world->all.size(), bridge::credit_max + 3);
}

TEST_F(credit_line_test, a_long_message_goes_alone) {
  begin({100, 100, bridge::credit_message_bytes_max + 1, 100});
  EXPECT_EQ(world->all.size(), 2u);
  take_one();
  EXPECT_EQ(world->all.size(), 2u);
  take_one();
  EXPECT_EQ(world->all.size(), 3u);
  EXPECT_FALSE(ended);
  take_one();
  EXPECT_EQ(world->all.size(), 4u);
  EXPECT_TRUE(ended);
}

TEST_F(credit_line_test, an_actor_that_is_gone_ends_its_reader) {
  kill();
  auto gone = sys->spawn(take, world);
  actor = gone;
  begin({100});
  EXPECT_TRUE(ended);
  caf::anon_send_exit(std::exchange(actor, nullptr), caf::exit_reason::user_shutdown);
  settle();
  actor = gone;
  begin({100, 100});
  EXPECT_NE(failure, "");
  actor = nullptr;
}

TEST_F(credit_line_test, an_answer_that_comes_after_its_end_changes_nothing) {
  begin({100, 100});
  EXPECT_TRUE(ended);
  line = nullptr;
  take_one();
  take_one();
}

} // namespace
