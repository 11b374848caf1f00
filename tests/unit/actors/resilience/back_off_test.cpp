#include "actors/resilience/back_off.hpp"

#include <gtest/gtest.h>

using namespace std::chrono_literals;

TEST(back_off_test, doubles_up_to_its_bound) {
  resilience::back_off pause{10ms, 65ms};
  EXPECT_EQ(pause.failed(), 10ms);
  EXPECT_EQ(pause.failed(), 20ms);
  EXPECT_EQ(pause.failed(), 40ms);
  EXPECT_EQ(pause.failed(), 65ms);
  EXPECT_EQ(pause.failed(), 65ms);
}

TEST(back_off_test, begins_anew_once_it_goes_well) {
  resilience::back_off pause{10ms, 100ms};
  pause.failed();
  pause.failed();
  pause.succeeded();
  EXPECT_EQ(pause.failed(), 10ms);
}
