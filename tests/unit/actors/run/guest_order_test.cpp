#include "actors/run/guest_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace run_guest_order_test {

TEST(guest_order, what_waits_is_done_until_it_pauses_again) {
  actors::run::guest_order order;
  std::string done;
  order.pause();
  order.add([&] { done += 'a'; });
  order.add([&] {
    done += 'b';
    order.pause();
  });
  order.add([&] { done += 'c'; });
  EXPECT_TRUE(order.is_paused());
  order.go_on();
  EXPECT_EQ(done, "ab");
  EXPECT_TRUE(order.is_paused());
  order.finish();
  EXPECT_EQ(done, "abc");
  EXPECT_FALSE(order.is_paused());
}

TEST(guest_order, at_the_end_pauses_hold_nothing_up) {
  actors::run::guest_order order;
  int done = 0;
  order.pause();
  for (int i = 0; i < 3; ++i)
    order.add([&] {
      ++done;
      order.pause();
    });
  order.finish();
  EXPECT_EQ(done, 3);
}

} // namespace run_guest_order_test
