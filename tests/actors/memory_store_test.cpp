// The queue in front of the memory: every request is answered once, in order, also at the end.
#include "actors/memory_store.hpp"

#include "tests/actors/deterministic.hpp"
#include "tests/unit/support/values.hpp"

using namespace testing_support;
using msg::errc;
using answer = msg::outcome<msg::document>;

struct memory_store_test : deterministic {
  struct piece_of_work {
    msg::memory_request request;
    std::function<void(answer)> done;
  };
  std::vector<piece_of_work> work; ///< given to the worker thread so far
  msg::memory_actor memory;

  memory_store_test() {
    actors::memory_options o;
    o.carry_out = [this](msg::memory_request request, std::function<void(answer)> done) {
      work.push_back({std::move(request), std::move(done)});
    };
    o.requests_max = 3;
    memory = sys.spawn(actors::memory_store, std::move(o));
  }
  ~memory_store_test() override {
    if (memory)
      self->send_exit(memory, caf::exit_reason::user_shutdown);
    memory = nullptr;
    settle();
    work.clear(); // it holds the actor until the worker is done
  }
  pending<answer> save(std::string key) {
    msg::memory_request request;
    request.operation = msg::memory_operation::memory_save;
    request.key = std::move(key);
    auto p = send<answer>(memory, msg::memory_atom::value, std::move(request));
    settle();
    return p;
  }
  void finish(size_t i, answer result = test::doc("true")) {
    work.at(i).done(std::move(result));
    settle();
  }
};

TEST_F(memory_store_test, requests_are_carried_out_one_after_the_other) {
  auto a = save("a"), b = save("b");
  ASSERT_EQ(work.size(), 1u) << "the store serves one request at a time";
  EXPECT_EQ(work[0].request.key, "a");
  finish(0, test::doc("[1]"));
  EXPECT_EQ(a.get().value.text(), "[1]");
  EXPECT_EQ(b.count(), 0u);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[1].request.key, "b");
  finish(1, msg::fault{errc::limit_exceeded, "full"});
  EXPECT_EQ(b.get().error.code, errc::limit_exceeded);
  auto c = save("c");
  finish(2);
  EXPECT_TRUE(c.get().ok());
}

TEST_F(memory_store_test, only_so_many_wait) {
  auto a = save("a"), b = save("b"), c = save("c");
  auto refused = save("d").get();
  EXPECT_EQ(refused.error.code, errc::overloaded);
  EXPECT_NE(refused.error.message.find("3 requests wait"), std::string::npos);
  finish(0);
  auto late = save("e");
  for (size_t i = 1; i < 4; ++i)
    finish(i);
  EXPECT_EQ(a.count() + b.count() + c.count() + late.count(), 4u);
  EXPECT_TRUE(late.get().ok());
}

TEST_F(memory_store_test, the_end_answers_all_of_them_once) {
  auto a = save("a"), b = save("b"), c = save("c");
  self->send_exit(memory, caf::exit_reason::user_shutdown);
  settle();
  for (auto* p : {&a, &b, &c})
    EXPECT_EQ(p->get().error.code, errc::shutting_down);
  finish(0); // the worker was in the middle of it
  EXPECT_EQ(a.count() + b.count() + c.count(), 3u);
  EXPECT_EQ(work.size(), 1u) << "nothing more is begun";
}

TEST_F(memory_store_test, an_answer_that_comes_twice_counts_once) {
  auto a = save("a"), b = save("b");
  finish(0, test::doc("1"));
  finish(0, test::doc("2"));
  EXPECT_EQ(a.get().value.text(), "1");
  EXPECT_EQ(b.count(), 0u);
  finish(1, test::doc("3"));
  EXPECT_EQ(b.get().value.text(), "3");
}

/// Any order of requests, answers and the end: every request is answered exactly once.
TEST_F(memory_store_test, storm) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    rng.seed(seed);
    work.clear();
    actors::memory_options o;
    o.requests_max = 3;
    o.carry_out = [this](msg::memory_request request, std::function<void(answer)> done) {
      work.push_back({std::move(request), std::move(done)});
    };
    auto stormy = sys.spawn(actors::memory_store, std::move(o));
    std::vector<pending<answer>> asked;
    size_t finished = 0;
    for (int step = 0; step < 30; ++step) {
      if (rng() % 3 != 0)
        asked.push_back(send<answer>(stormy, msg::memory_atom::value, msg::memory_request{}));
      else if (finished < work.size())
        work[finished++].done(test::doc("true"));
      if (rng() % 4 == 0)
        settle_shuffled();
    }
    self->send_exit(stormy, caf::exit_reason::user_shutdown);
    stormy = nullptr;
    settle_shuffled();
    for (; finished < work.size(); ++finished)
      work[finished].done(test::doc("true"));
    settle();
    for (auto& p : asked)
      ASSERT_EQ(p.count(), 1u) << "seed " << seed;
  }
}
