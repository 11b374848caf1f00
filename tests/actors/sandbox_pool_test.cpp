// Guests started ahead of need: each is given away once, and how many wait follows the demand.
#include "actors/sandbox_pool.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_guests.hpp"
#include "tests/actors/unexpected.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;
using msg::errc;

struct sandbox_pool_test : deterministic {
  fake_guests guests;
  msg::sandbox_pool_actor pool;
  std::vector<msg::sandbox_actor> taken;
  actors::memory_room room = actors::memory_room::plenty;

  void begin(size_t size = 1, size_t size_max = 3, size_t starts_max = 64) {
    actors::sandbox_pool_options o;
    o.starts_max = starts_max;
    o.start = guests.factory();
    o.size = size;
    o.size_max = size_max;
    o.idle_after = 60s;
    o.room = [this] { return room; };
    pool = sys.spawn(actors::sandbox_pool, std::move(o));
    settle();
  }
  ~sandbox_pool_test() override {
    for (auto& sandbox : taken)
      self->send_exit(sandbox, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    taken.clear();
    pool = nullptr;
    settle();
    EXPECT_EQ(guests.alive(), 0u) << "guests outlive the pool";
    guests.all.clear();
  }
  void take(msg::guest_request wish = {}) {
    taken.push_back(ask<msg::outcome<msg::guest_lease>>(pool, msg::take_atom::value, std::move(wish)).value.sandbox);
  }
  msg::pool_status status() { return ask<msg::pool_status>(pool, msg::status_atom::value); }
  void fill() {
    for (int i = 0; i < 10; ++i)
      advance(limits::pool_first_delay);
  }
};

TEST_F(sandbox_pool_test, starts_its_guests_a_little_after_the_server) {
  begin(2);
  EXPECT_EQ(guests.all.size(), 0u);
  fill();
  EXPECT_EQ(guests.all.size(), 2u);
}

TEST_F(sandbox_pool_test, starts_no_more_at_a_time_than_it_may) {
  begin(3, 3, 2);
  fill();
  EXPECT_EQ(guests.all.size(), 2u);
  guests.last().say(R"({"type":"ready"})");
  fill();
  EXPECT_EQ(guests.all.size(), 3u);
}

TEST_F(sandbox_pool_test, a_guest_that_is_ready_is_warmed_up_while_it_waits) {
  begin();
  fill();
  EXPECT_FALSE(guests.last().was_told("warm_up"));
  guests.last().say(R"({"type":"ready"})");
  settle();
  EXPECT_TRUE(guests.last().was_told("warm_up"));
  EXPECT_EQ(status().warm, 0u);
  guests.last().say(R"({"type":"warm"})");
  settle();
  EXPECT_EQ(status().warm, 1u);
}

TEST_F(sandbox_pool_test, gives_every_guest_away_once_and_replaces_it) {
  begin();
  fill();
  take();
  take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_NE(taken[0], taken[1]);
  EXPECT_EQ(guests.all.size(), 2u) << "replaced before the run had its time";
  EXPECT_EQ(status().served_warm, 1u);
  EXPECT_EQ(status().served_cold, 1u);
  fill();
  EXPECT_EQ(status().waiting, 2u) << "grown by the run that found none";
}

TEST_F(sandbox_pool_test, a_burst_grows_it_to_its_cap_and_quiet_shrinks_it_again) {
  begin();
  fill();
  for (int i = 0; i < 10; ++i)
    take();
  fill();
  EXPECT_EQ(status().waiting, 3u);
  for (int i = 0; i < 5; ++i)
    advance(61s);
  EXPECT_EQ(status().waiting, 1u);
}

TEST_F(sandbox_pool_test, is_full_again_soon_after_quick_runs) {
  begin(1, 4);
  fill();
  for (int i = 0; i < 3; ++i)
    take();
  fill();
  ASSERT_EQ(status().waiting, status().target) << "only the look for a quiet while is to come, in a minute";
  ASSERT_GT(status().target, 1u);
  while (status().waiting > 0)
    take();
  fill();
  EXPECT_EQ(status().waiting, status().target);
  auto most = status().target;
  for (int i = 0; i < 8; ++i)
    advance(60s);
  EXPECT_LT(status().target, most) << "and the later look has not been forgotten";
}

TEST_F(sandbox_pool_test, no_guest_waits_while_others_need_the_memory) {
  begin(2, 4);
  room = actors::memory_room::low;
  fill();
  EXPECT_EQ(guests.all.size(), 0u);
  take();
  EXPECT_EQ(guests.all.size(), 1u) << "a run has its guest all the same";
  room = actors::memory_room::plenty;
  advance(actors::pool_room_pause);
  fill();
  EXPECT_EQ(status().waiting, 2u);
  EXPECT_EQ(status().target, 2u);

  room = actors::memory_room::enough;
  take();
  fill();
  EXPECT_EQ(status().waiting, 1u) << "there is no room for another one";
  EXPECT_EQ(status().target, 1u) << "and none is said to come";
  room = actors::memory_room::low;
  advance(actors::pool_room_pause);
  fill();
  EXPECT_EQ(status().waiting, 0u);
  EXPECT_EQ(guests.alive(), 2u) << "those of runs stay";
  room = actors::memory_room::plenty;
  advance(actors::pool_room_pause);
  fill();
  EXPECT_EQ(status().waiting, 2u);
}

TEST_F(sandbox_pool_test, the_guest_that_has_come_furthest_is_taken_first) {
  begin(2);
  fill();
  guests.all[1]->say(R"({"type":"ready"})");
  settle();
  take();
  self->send(taken[0], msg::run_atom::value, msg::guest_program{"1", false});
  settle();
  EXPECT_TRUE(guests.all[1]->was_told("run"));
}

TEST_F(sandbox_pool_test, a_run_with_permissions_or_a_session_gets_a_guest_of_its_own) {
  begin();
  fill();
  msg::guest_request wish;
  wish.granted.net = {"example.com"};
  take(wish);
  EXPECT_EQ(guests.last().wish.granted.net, wish.granted.net);
  wish = {};
  wish.session = "s";
  take(wish);
  EXPECT_EQ(guests.last().wish.session, "s");
  EXPECT_EQ(status().waiting, 1u);
  EXPECT_EQ(guests.all.size(), 3u);
}

TEST_F(sandbox_pool_test, guests_that_die_waiting_are_replaced_later_each_time) {
  begin();
  fill();
  size_t started = 0;
  for (auto wait = limits::pool_backoff_first; wait < 10s; wait *= 2) {
    started = guests.all.size();
    guests.last().end(1);
    settle();
    advance(wait - 10ms);
    EXPECT_EQ(guests.all.size(), started);
    advance(20ms);
    fill();
    EXPECT_EQ(guests.all.size(), started + 1);
  }
}

TEST_F(sandbox_pool_test, what_can_not_be_started_is_told_to_the_run) {
  begin(0);
  guests.refuse_to_start = {errc::not_allowed, "no such right"};
  take();
  struct heard {
    std::vector<msg::guest_exit> exits;
  };
  auto h = std::make_shared<heard>();
  auto listener = sys.spawn(
    [h](msg::guest_listener::pointer, int) -> msg::guest_listener::behavior_type {
      return {[](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
              [h](msg::exit_atom, const msg::guest_exit& how) { h->exits.push_back(how); }};
    },
    0);
  self->send(taken[0], msg::attach_atom::value, listener);
  settle();
  ASSERT_EQ(h->exits.size(), 1u);
  EXPECT_EQ(h->exits[0].cause, errc::not_allowed);
  EXPECT_EQ(h->exits[0].problem, "no such right");
}

TEST_F(sandbox_pool_test, a_guest_dies_with_the_run_that_has_it) {
  begin(0);
  take();
  auto listener = sys.spawn(
    [](msg::guest_listener::pointer, int) -> msg::guest_listener::behavior_type {
      return {[](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
              [](msg::exit_atom, const msg::guest_exit&) { unexpected("exit"); }};
    },
    0);
  self->send(taken[0], msg::attach_atom::value, listener);
  settle();
  self->send_exit(listener, caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(guests.last().killed);
}

/// A seeded storm: whatever happens in whatever order, every run gets a guest of its own, and the pool fills again.
class sandbox_pool_storm : public sandbox_pool_test, public ::testing::WithParamInterface<int> {};

TEST_P(sandbox_pool_storm, gives_every_guest_away_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  begin(1 + static_cast<size_t>(GetParam()) % 2, 4);
  std::vector<pending<msg::outcome<msg::guest_lease>>> wishes;
  for (int i = 0; i < 80; ++i) {
    switch (rng() % 8) {
      case 0: sched.advance_time(std::chrono::seconds(rng() % 40)); break;
      case 1: sched.advance_time(limits::pool_first_delay); break;
      case 2:
        if (!guests.all.empty())
          guests.all[rng() % guests.all.size()]->end(1);
        break;
      case 3:
      case 4:
        if (!guests.all.empty())
          guests.all[rng() % guests.all.size()]->say(rng() % 2 == 0 ? R"({"type":"ready"})" : R"({"type":"warm"})");
        break;
      case 5:
        guests.refuse_to_start = rng() % 3 == 0 ? msg::fault{errc::overloaded, "no processes"} : msg::fault{};
        break;
      default: {
        msg::guest_request wish;
        if (rng() % 4 == 0)
          wish.granted.net = {"example.com"};
        wishes.push_back(send<msg::outcome<msg::guest_lease>>(pool, msg::take_atom::value, std::move(wish)));
      }
    }
    if (rng() % 3 != 0)
      settle_shuffled();
  }
  guests.refuse_to_start = {};
  settle();
  for (auto& each : wishes) {
    ASSERT_EQ(each.count(), 1u);
    auto lease = each.get();
    ASSERT_TRUE(lease.ok());
    EXPECT_EQ(std::count(taken.begin(), taken.end(), lease.value.sandbox), 0) << "given away twice";
    taken.push_back(lease.value.sandbox);
  }
  advance(limits::pool_backoff_max);
  fill();
  EXPECT_EQ(status().waiting, status().target);
}
INSTANTIATE_TEST_SUITE_P(seeds, sandbox_pool_storm, ::testing::Range(0, 100));

TEST_F(sandbox_pool_test, a_guest_ends_with_the_actor_that_looks_after_it_however_that_ends) {
  begin(0);
  take();
  self->send_exit(taken.back(), caf::exit_reason::kill);
  settle();
  EXPECT_TRUE(guests.last().killed);
  EXPECT_EQ(guests.alive(), 0u);
}
