// For the messages of a fake that no test sends: the test fails in which one comes.
#pragma once

#include <gtest/gtest.h>

#include <utility>

namespace testing_support {

inline void unexpected(const char* message) { ADD_FAILURE() << "no test expects this message: " << message; }

template <class T>
T unexpected(const char* message, T answer) {
  unexpected(message);
  return answer;
}

} // namespace testing_support
