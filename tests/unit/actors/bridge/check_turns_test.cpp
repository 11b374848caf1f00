#include "actors/bridge/check_turns.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace actors_bridge_check_turns_test {

using names = std::vector<std::string>;

class check_turns_test : public testing::Test {
protected:
  void at_once(size_t count, std::chrono::milliseconds wait_max = std::chrono::hours{1}) {
    turns_ = std::make_shared<bridge::check_turns>(io_.get_executor(), count, wait_max);
  }
  uint64_t enter(uint64_t client, const std::string& name) {
    return turns_->enter(
      client,
      [this, name](bridge::check_turns::turn turn) {
        begun_.push_back(name);
        working_[name] = std::move(turn);
      },
      [this, name] { late_.push_back(name); });
  }
  void end(const std::string& name) { working_.extract(name); }

  asio::io_context io_;
  names begun_, late_;
  std::map<std::string, bridge::check_turns::turn> working_;
  std::shared_ptr<bridge::check_turns> turns_; ///< last: what ends after it begins nothing
};

TEST_F(check_turns_test, so_many_work_at_once) {
  at_once(2);
  for (auto* name : {"a", "b", "c", "d"})
    enter(1, name);
  EXPECT_EQ(begun_, (names{"a", "b"}));
  end("b");
  EXPECT_EQ(begun_, (names{"a", "b", "c"}));
  end("c");
  end("a");
  end("d");
  enter(1, "e");
  enter(1, "f");
  enter(1, "g");
  EXPECT_EQ(begun_, (names{"a", "b", "c", "d", "e", "f"})) << "all places were free again";
}

TEST_F(check_turns_test, a_client_with_thirty_delays_another_by_one) {
  at_once(1);
  for (int i = 0; i < 30; ++i)
    enter(1, "many" + std::to_string(i));
  enter(2, "one");
  end("many0");
  end("many1");
  EXPECT_EQ(begun_, (names{"many0", "many1", "one"})) << "the first that waited has its turn, then the other client";
}

TEST_F(check_turns_test, what_ends_while_it_waits_has_no_turn) {
  at_once(1);
  enter(1, "works");
  auto left = enter(1, "leaves");
  enter(1, "stays");
  EXPECT_TRUE(turns_->leave(left));
  EXPECT_FALSE(turns_->leave(left));
  end("works");
  EXPECT_EQ(begun_, (names{"works", "stays"}));
  EXPECT_FALSE(turns_->leave(left));
  io_.run();
  EXPECT_TRUE(late_.empty());
}

TEST_F(check_turns_test, who_works_is_not_in_the_line) {
  at_once(1);
  EXPECT_FALSE(turns_->leave(enter(1, "works")));
}

TEST_F(check_turns_test, waiting_has_an_end) {
  at_once(1, std::chrono::milliseconds{1});
  enter(1, "works");
  enter(2, "waits");
  io_.run();
  EXPECT_EQ(late_, names{"waits"});
  end("works");
  EXPECT_EQ(begun_, names{"works"}) << "too late";
  enter(2, "again");
  EXPECT_EQ(begun_, (names{"works", "again"}));
}

TEST_F(check_turns_test, who_has_had_its_turn_is_not_late) {
  at_once(1, std::chrono::milliseconds{1});
  enter(1, "works");
  enter(2, "next");
  end("works");
  io_.run();
  EXPECT_TRUE(late_.empty());
}

TEST_F(check_turns_test, a_turn_outlives_them) {
  at_once(1);
  enter(1, "works");
  enter(1, "waits");
  turns_ = nullptr;
  end("works");
  io_.run();
  EXPECT_EQ(begun_, names{"works"});
}

TEST_F(check_turns_test, as_many_as_there_are_processors_and_not_more_than_four) {
  EXPECT_GE(bridge::checks_at_once(), 1u);
  EXPECT_LE(bridge::checks_at_once(), bridge::checks_at_once_max);
}

} // namespace actors_bridge_check_turns_test
