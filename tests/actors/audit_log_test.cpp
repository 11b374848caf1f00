// The record never waits and never forgets without saying so.
#include "actors/audit_log.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;
using audit::write_report;
using audit::write_result;
using msg::audit_kind;

struct audit_log_actor_test : deterministic {
  struct piece_of_work {
    actors::audit_batch batch;
    std::function<void(write_report)> done;
  };
  std::vector<piece_of_work> work; ///< given to the worker thread so far
  msg::audit_log_actor record;
  bool has_no_memory = false;

  audit_log_actor_test() { record = start(); }
  ~audit_log_actor_test() override { end(); }
  void end() {
    if (record)
      self->send_exit(record, caf::exit_reason::user_shutdown);
    record = nullptr;
    settle();
    work.clear(); // it holds the actor until the worker is done
  }
  msg::audit_log_actor start(size_t events_max = 1'000) {
    actors::audit_log_options o;
    o.write = [this](actors::audit_batch batch, std::function<void(write_report)> done) {
      if (has_no_memory)
        throw std::bad_alloc{};
      work.push_back({std::move(batch), std::move(done)});
    };
    o.place = "/logs";
    o.events_max = events_max;
    o.bytes_max = 1'000;
    return sys.spawn(actors::audit_log, std::move(o));
  }
  void tell(uint64_t run, size_t code_bytes = 0, audit_kind kind = audit_kind::run) {
    msg::audit_event e;
    e.kind = kind;
    e.run = run;
    e.code = std::string(code_bytes, 'x');
    caf::anon_send(record, msg::audit_atom::value, std::move(e));
    settle();
  }
  void finish_work(size_t i, write_result how, std::string problem = {}) {
    work.at(i).done({how, std::move(problem), {}});
    settle();
  }
  msg::audit_status status() { return ask<msg::audit_status>(record, msg::status_atom::value); }
};

TEST_F(audit_log_actor_test, gathers_for_a_moment) {
  tell(1);
  tell(2);
  EXPECT_TRUE(work.empty());
  EXPECT_EQ(status().waiting, 2u);
  advance(limits::audit_delay);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].batch->size(), 2u);
  tell(3);
  advance(limits::audit_delay);
  EXPECT_EQ(work.size(), 1u) << "one batch at a time";
  finish_work(0, write_result::written);
  advance(limits::audit_delay);
  ASSERT_EQ(work.size(), 2u);
  finish_work(1, write_result::written);
  EXPECT_EQ(status().written, 3u);
  EXPECT_EQ(status().lost, 0u);
}

TEST_F(audit_log_actor_test, waits_for_memory_and_forgets_nothing) {
  has_no_memory = true;
  tell(1);
  advance(limits::audit_delay);
  EXPECT_TRUE(work.empty());
  has_no_memory = false;
  tell(2);
  advance(limits::audit_delay);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].batch->at(0).run, 1u);
  finish_work(0, write_result::written);
  advance(limits::audit_delay);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[1].batch->at(0).run, 2u);
  finish_work(1, write_result::written);
  EXPECT_EQ(status().lost, 0u);
}

TEST_F(audit_log_actor_test, much_is_written_at_once) {
  for (uint64_t i = 0; i < limits::audit_batch_max; ++i)
    tell(i);
  EXPECT_EQ(work.size(), 1u);
}

TEST_F(audit_log_actor_test, a_full_queue_is_counted_and_told) {
  end();
  record = start(2);
  for (uint64_t i = 1; i <= 5; ++i)
    tell(i, 0, audit_kind::tool_call);
  EXPECT_EQ(status().lost, 3u);
  advance(limits::audit_delay);
  auto& batch = *work.at(0).batch;
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[0].kind, audit_kind::lost);
  EXPECT_EQ(batch[0].state, "3 events");
  finish_work(0, write_result::written);
  tell(6);
  advance(limits::audit_delay);
  EXPECT_EQ(work.at(1).batch->size(), 1u) << "told once";
}

TEST_F(audit_log_actor_test, a_flood_of_calls_leaves_places_for_the_ends_of_runs) {
  end();
  record = start(2);
  for (uint64_t i = 1; i <= 5; ++i)
    tell(i, 0, audit_kind::tool_call);
  for (uint64_t i = 1; i <= limits::audit_batch_max; ++i)
    tell(i);
  EXPECT_EQ(status().lost, 3u);
}

TEST_F(audit_log_actor_test, large_programs_do_not_fill_the_memory) {
  tell(1, 900);
  tell(2, 200);
  tell(3, 100);
  EXPECT_EQ(status().waiting, 2u);
  EXPECT_EQ(status().lost, 1u);
}

TEST_F(audit_log_actor_test, what_can_not_be_written_is_lost_and_told_when_it_works_again) {
  tell(1);
  tell(2);
  advance(limits::audit_delay);
  finish_work(0, write_result::failed, "No space left on device");
  EXPECT_EQ(status().lost, 2u);
  EXPECT_EQ(status().last_error, "No space left on device");
  tell(3);
  advance(limits::audit_delay);
  EXPECT_EQ(work.at(1).batch->front().state, "2 events");
  EXPECT_EQ(work.at(1).batch->front().error, "No space left on device");
  finish_work(1, write_result::failed, "No space left on device");
  EXPECT_EQ(status().lost, 3u) << "the line that tells of it is no event";
  tell(4);
  advance(limits::audit_delay);
  EXPECT_EQ(work.at(2).batch->front().state, "3 events");
  finish_work(2, write_result::written);
  EXPECT_EQ(status().lost, 3u);
  EXPECT_EQ(status().written, 2u);
  EXPECT_TRUE(status().last_error.empty());
}

TEST_F(audit_log_actor_test, while_another_process_writes_it_tries_again) {
  tell(1);
  advance(limits::audit_delay);
  finish_work(0, write_result::busy);
  advance(limits::audit_delay);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[1].batch, work[0].batch);
  finish_work(1, write_result::written);
  EXPECT_EQ(status().written, 1u);
}

TEST_F(audit_log_actor_test, says_that_somebody_holds_the_lock_for_long) {
  tell(1);
  advance(limits::audit_delay);
  for (auto waited = 0ms; waited < limits::audit_locked_most; waited += limits::audit_delay) {
    EXPECT_EQ(status().last_error, "");
    finish_work(work.size() - 1, write_result::busy);
    advance(limits::audit_delay);
  }
  finish_work(work.size() - 1, write_result::busy);
  EXPECT_EQ(status().last_error, "another process has locked it for more than 5 s: its lines wait");
  EXPECT_EQ(status().waiting, 1u);
  advance(limits::audit_delay);
  finish_work(work.size() - 1, write_result::written);
  EXPECT_EQ(status().last_error, "");
  EXPECT_EQ(status().written, 1u);
}

TEST_F(audit_log_actor_test, finishes_when_all_is_written) {
  for (uint64_t i = 0; i < 3; ++i)
    tell(i);
  auto finished = send<bool>(record, msg::finish_atom::value);
  settle();
  ASSERT_EQ(work.size(), 1u) << "at once";
  EXPECT_EQ(finished.count(), 0u);
  tell(4);
  finish_work(0, write_result::written);
  ASSERT_EQ(work.size(), 2u);
  finish_work(1, write_result::written);
  EXPECT_TRUE(finished.get());
  EXPECT_TRUE(ask<bool>(record, msg::finish_atom::value));
}

TEST_F(audit_log_actor_test, finishes_although_the_disk_is_full) {
  tell(1);
  auto finished = send<bool>(record, msg::finish_atom::value);
  settle();
  finish_work(0, write_result::failed, "full");
  EXPECT_FALSE(finished.get());
}

TEST_F(audit_log_actor_test, at_the_end_a_lock_is_tried_soon_again) {
  tell(1);
  auto finished = send<bool>(record, msg::finish_atom::value);
  settle();
  finish_work(0, write_result::busy);
  advance(limits::audit_retry_delay);
  ASSERT_EQ(work.size(), 2u);
  finish_work(1, write_result::written);
  EXPECT_TRUE(finished.get());
}

TEST_F(audit_log_actor_test, counts_what_it_hears) {
  tell(1);
  tell(2, 0, audit_kind::tool_call);
  tell(3, 0, audit_kind::refusal);
  tell(4, 0, audit_kind::sampling_call);
  auto n = status().counts;
  EXPECT_EQ(n.questions_answered, 1u);
  EXPECT_EQ(n.runs_succeeded, 1u);
  EXPECT_EQ(n.calls_succeeded, 1u);
  EXPECT_EQ(n.refusals, 1u);
}

TEST_F(audit_log_actor_test, without_a_place_it_only_counts) {
  end();
  record = sys.spawn(actors::audit_log, actors::audit_log_options{});
  tell(1);
  EXPECT_FALSE(status().enabled);
  EXPECT_EQ(status().counts.runs_succeeded, 1u);
  EXPECT_EQ(status().lost, 0u);
  EXPECT_TRUE(ask<bool>(record, msg::finish_atom::value));
}

/// Whatever happens in whatever order: each event is written once or counted as lost, and finish is answered once.
TEST_F(audit_log_actor_test, storm) {
  end();
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    rng.seed(seed);
    work.clear();
    record = start(5);
    std::map<uint64_t, int> written;
    uint64_t told = 0, tells_of_lost = 0;
    size_t at = 0; // of `work`
    auto answer_one = [&] {
      auto how = static_cast<write_result>(rng() % 3);
      for (auto& e : *work[at].batch) {
        if (how == write_result::written && e.kind == audit_kind::lost)
          tells_of_lost += std::stoull(e.state);
        else if (how == write_result::written)
          ++written[e.run];
      }
      work[at++].done({how, how == write_result::failed ? "full" : "", {}});
    };
    for (int step = 0; step < 60; ++step) {
      if (rng() % 2 == 0)
        caf::anon_send(record, msg::audit_atom::value, [&] {
          msg::audit_event e;
          e.run = ++told;
          return e;
        }());
      else if (at < work.size() && rng() % 2 == 0)
        answer_one();
      if (rng() % 4 == 0)
        settle_shuffled();
      if (rng() % 8 == 0)
        advance(limits::audit_delay);
    }
    settle();
    auto finished = send<bool>(record, msg::finish_atom::value);
    settle();
    for (int i = 0; i < 1'000 && finished.count() == 0; ++i) {
      if (at < work.size())
        answer_one();
      settle();
      advance(limits::audit_delay);
    }
    ASSERT_EQ(finished.count(), 1u) << "seed " << seed;
    auto s = status();
    ASSERT_EQ(written.size() + s.lost, told) << "seed " << seed;
    for (auto& [run, times] : written)
      ASSERT_EQ(times, 1) << "seed " << seed;
    ASSERT_LE(tells_of_lost, s.lost) << "seed " << seed;
    if (finished.get()) {
      ASSERT_EQ(tells_of_lost, s.lost) << "seed " << seed;
    }
    self->send_exit(record, caf::exit_reason::user_shutdown);
    record = nullptr;
    settle();
  }
  work.clear();
}
