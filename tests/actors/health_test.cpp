// health asks other actors and the disk, and waits for none of them without end.
#include "actors/health.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_record.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;

struct health_test : deterministic {
  heard_events heard = std::make_shared<std::vector<msg::audit_event>>();
  msg::audit_log_actor record = sys.spawn(fake_record, heard);
  std::vector<std::function<void(msg::machine_status)>> looks;
  msg::health_actor health;

  health_test() {
    actors::health_options o;
    o.audit = record;
    o.look = [this](std::function<void(msg::machine_status)> done) { looks.push_back(std::move(done)); };
    o.started = [] {
      msg::start_status found;
      found.python_problem = "no Python";
      return found;
    };
    o.runs_max = 3;
    health = sys.spawn(actors::health, std::move(o));
  }
  ~health_test() override {
    if (health)
      self->send_exit(health, caf::exit_reason::user_shutdown);
    self->send_exit(record, caf::exit_reason::user_shutdown);
    health = nullptr;
    record = nullptr;
    settle();
    looks.clear();
  }
  pending<msg::health_report> ask_health() {
    auto p = send<msg::health_report>(health, msg::status_atom::value);
    settle();
    return p;
  }
  static msg::machine_status machine() {
    msg::machine_status m;
    m.threads = 3;
    return m;
  }
};

TEST_F(health_test, gathers_what_everybody_says) {
  auto answer = ask_health();
  EXPECT_EQ(answer.count(), 0u);
  looks.at(0)(machine());
  settle();
  auto now = answer.get();
  EXPECT_EQ(now.machine.threads, 3u);
  EXPECT_EQ(now.start.python_problem, "no Python");
  EXPECT_EQ(now.runs_max, 3u);
  EXPECT_TRUE(now.silent.empty());
}

TEST_F(health_test, those_who_ask_at_once_get_one_answer) {
  auto a = ask_health(), b = ask_health();
  EXPECT_EQ(looks.size(), 1u);
  looks[0](machine());
  settle();
  EXPECT_EQ(a.count() + b.count(), 2u);
  auto c = ask_health();
  EXPECT_EQ(looks.size(), 2u);
  looks[1](machine());
  settle();
  EXPECT_EQ(c.count(), 1u);
}

TEST_F(health_test, a_disk_that_hangs_is_told) {
  auto answer = ask_health();
  advance(limits::health_answer_max);
  EXPECT_EQ(answer.get().silent, std::vector<std::string>{"disk"});
  looks[0](machine()); // at last
  settle();
  auto next = ask_health();
  EXPECT_EQ(next.count(), 0u);
  looks[1](machine());
  settle();
  EXPECT_TRUE(next.get().silent.empty());
}

TEST_F(health_test, an_actor_that_is_gone_is_told) {
  self->send_exit(record, caf::exit_reason::kill);
  settle();
  auto answer = ask_health();
  looks[0](machine());
  settle();
  EXPECT_EQ(answer.get().silent, std::vector<std::string>{"audit log"});
}

TEST_F(health_test, whoever_waits_at_the_end_is_answered) {
  auto answer = ask_health();
  self->send_exit(health, caf::exit_reason::user_shutdown);
  health = nullptr;
  settle();
  EXPECT_EQ(answer.count(), 1u);
}

/// A seeded storm: whoever asks is answered once, in time, whatever the disk and the others do.
class health_storm : public health_test, public ::testing::WithParamInterface<int> {};

TEST_P(health_storm, answers_everybody_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  std::vector<pending<msg::health_report>> asked;
  for (int i = 0; i < 60; ++i) {
    switch (rng() % 5) {
      case 0:
        if (!looks.empty())
          looks[rng() % looks.size()](machine()); // perhaps not for the first time
        break;
      case 1: sched.advance_time(std::chrono::milliseconds(rng() % 4'000)); break;
      case 2:
        if (rng() % 20 == 0)
          self->send_exit(record, caf::exit_reason::kill);
        break;
      default: asked.push_back(send<msg::health_report>(health, msg::status_atom::value));
    }
    if (rng() % 3 != 0)
      settle_shuffled();
  }
  settle_shuffled();
  advance(limits::health_answer_max);
  advance(limits::health_answer_max);
  for (size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(asked[i].count(), 1u) << "question " << i;
  auto last = ask_health();
  looks.back()(machine());
  settle();
  EXPECT_EQ(last.get().machine.threads, 3u);
}
INSTANTIATE_TEST_SUITE_P(seeds, health_storm, ::testing::Range(0, 100));
