#include "actors/resilience/shared_turns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace actors_resilience_shared_turns_test {

using resilience::shared_turns;

struct shared_turns_test : testing::Test {
  std::shared_ptr<shared_turns> turns = std::make_shared<shared_turns>(4);
  std::vector<uint64_t> begun; ///< parties
  std::vector<shared_turns::turn> held;

  void enter(uint64_t party) {
    held.push_back(turns->enter(party, [this, party] { begun.push_back(party); }));
  }
};

TEST_F(shared_turns_test, one_party_has_half_of_them_and_others_do_not_wait_for_it) {
  for (int i = 0; i < 5; ++i)
    enter(1);
  EXPECT_EQ(begun, (std::vector<uint64_t>{1, 1}));
  enter(2);
  enter(3);
  EXPECT_EQ(begun, (std::vector<uint64_t>{1, 1, 2, 3}));
  enter(4);
  held[0].reset();
  EXPECT_EQ(begun.size(), 5u);
  held[1].reset();
  EXPECT_EQ(begun, (std::vector<uint64_t>{1, 1, 2, 3, 1, 4})) << "in turn";
}

TEST_F(shared_turns_test, who_goes_before_the_turn_comes_is_not_called) {
  for (int i = 0; i < 4; ++i)
    enter(1);
  held[2].reset();
  held[0].reset();
  held[1].reset();
  EXPECT_EQ(begun.size(), 3u);
  held.clear();
  enter(1);
  enter(1);
  EXPECT_EQ(begun.size(), 5u) << "all places are free again";
}

TEST_F(shared_turns_test, what_ends_as_it_begins_makes_room) {
  std::string order;
  shared_turns::turn first, second;
  enter(1);
  enter(1);
  first = turns->enter(1, [&] {
    order += 'a';
    first.reset();
  });
  second = turns->enter(1, [&] { order += 'b'; });
  held[0].reset();
  EXPECT_EQ(order, "ab");
}

} // namespace actors_resilience_shared_turns_test
