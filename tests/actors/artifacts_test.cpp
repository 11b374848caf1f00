// In front of the store of outputs: every request is answered once, also at the end.
#include "actors/artifacts.hpp"

#include "tests/actors/deterministic.hpp"
#include "tests/unit/support/values.hpp"

using namespace testing_support;
using msg::errc;
using part_outcome = msg::outcome<msg::artifact_answer>;

struct outputs_test : deterministic {
  struct piece_of_work {
    msg::artifact_request request;
    std::function<void(part_outcome)> done;
  };
  std::vector<piece_of_work> work; ///< given to the worker thread so far
  std::vector<uint64_t> over;      ///< runs
  msg::artifacts_actor outputs;

  outputs_test() { outputs = start(); }
  ~outputs_test() override {
    if (outputs)
      self->send_exit(outputs, caf::exit_reason::user_shutdown);
    outputs = nullptr;
    settle();
    work.clear(); // it holds the actor until the worker is done
  }
  msg::artifacts_actor start() {
    actors::artifacts_options o;
    o.carry_out = [this](msg::artifact_request request, std::function<void(part_outcome)> done) {
      work.push_back({std::move(request), std::move(done)});
    };
    o.requests_max = 3;
    o.run_is_over = [this](uint64_t run) { over.push_back(run); };
    return sys.spawn(actors::outputs_keeper, std::move(o));
  }
  pending<part_outcome> ask(std::string handle) {
    auto p =
      send<part_outcome>(outputs, msg::outputs_atom::value,
                         msg::artifact_request{msg::artifact_operation::read, {}, {std::move(handle), "", 0, 1}});
    settle();
    return p;
  }
  static part_outcome value(std::string_view json) { return msg::artifact_answer{{}, test::doc(json)}; }
  void finish(size_t i, part_outcome result) {
    work.at(i).done(std::move(result));
    settle();
  }
};

TEST_F(outputs_test, every_request_gets_its_own_answer) {
  auto a = ask("a"), b = ask("b");
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].request.query.handle + work[1].request.query.handle, "ab");
  finish(1, value("2"));
  finish(0, msg::fault{errc::unknown_handle, "gone"});
  EXPECT_EQ(a.get().error.code, errc::unknown_handle);
  EXPECT_EQ(b.get().value.value.text(), "2");
}

TEST_F(outputs_test, programs_do_not_keep_the_server_from_keeping) {
  std::vector<pending<part_outcome>> read;
  for (int i = 0; i < 3; ++i)
    read.push_back(send<part_outcome>(outputs, msg::outputs_atom::value,
                                      msg::artifact_request{msg::artifact_operation::read, {}, {"a", "", 0, 1}, 7}));
  settle();
  auto one_more = testing_support::deterministic::ask<part_outcome>(
    outputs, msg::outputs_atom::value, msg::artifact_request{msg::artifact_operation::read, {}, {"a", "", 0, 1}, 8});
  EXPECT_EQ(one_more.error.code, errc::overloaded);
  auto kept =
    send<part_outcome>(outputs, msg::outputs_atom::value, msg::artifact_request{msg::artifact_operation::keep, {}, {}});
  settle();
  ASSERT_EQ(work.size(), 4u);
  finish(3, value("1"));
  EXPECT_TRUE(kept.get().ok());
  for (size_t i = 0; i < 3; ++i)
    finish(i, value("1"));
  EXPECT_EQ(read[0].count() + read[1].count() + read[2].count(), 3u);
}

TEST_F(outputs_test, the_end_of_a_run_is_passed_on) {
  self->send(outputs, msg::cancel_atom::value, uint64_t{7});
  settle();
  EXPECT_EQ(over, std::vector<uint64_t>{7});
}

TEST_F(outputs_test, only_so_many_wait) {
  auto a = ask("a"), b = ask("b"), c = ask("c");
  auto refused = ask("d").get();
  EXPECT_EQ(refused.error.code, errc::overloaded);
  EXPECT_NE(refused.error.message.find("3 requests wait"), std::string::npos);
  finish(0, value("1"));
  auto e = ask("e");
  EXPECT_EQ(work.size(), 4u);
  for (size_t i = 1; i < 4; ++i)
    finish(i, value("1"));
  EXPECT_EQ(a.count() + b.count() + c.count() + e.count(), 4u);
}

TEST_F(outputs_test, an_answer_that_comes_twice_counts_once) {
  auto a = ask("a");
  finish(0, value("1"));
  finish(0, value("2"));
  EXPECT_EQ(a.get().value.value.text(), "1");
}

/// Any order of requests, answers and the end: every request is answered exactly once.
TEST_F(outputs_test, storm) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    rng.seed(seed);
    work.clear();
    auto stormy = start();
    std::vector<pending<part_outcome>> asked;
    for (int step = 0; step < 30; ++step) {
      if (rng() % 3 != 0)
        asked.push_back(send<part_outcome>(stormy, msg::outputs_atom::value, msg::artifact_request{}));
      else if (!work.empty())
        work[rng() % work.size()].done(value("1"));
      if (rng() % 4 == 0)
        settle_shuffled();
    }
    self->send_exit(stormy, caf::exit_reason::user_shutdown);
    stormy = nullptr;
    settle_shuffled();
    for (auto& w : work)
      w.done(value("1"));
    settle();
    for (auto& p : asked)
      ASSERT_EQ(p.count(), 1u) << "seed " << seed;
  }
}
