// Looking at processes that are not our children.
#pragma once

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <sys/types.h>

namespace test {

/// A zombie is not.
inline bool alive(pid_t pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text{std::istreambuf_iterator<char>{stat}, {}};
  auto end = text.rfind(')');
  return end != text.npos && end + 2 < text.size() && text[end + 2] != 'Z' && text[end + 2] != 'X';
}

/// Looks again and again, for 3 s at most: the death of a process that is not ours is no event we can wait for.
/// For what other processes do.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 20'000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return false;
}

inline bool gone_soon(pid_t pid) {
  return soon([pid] { return !alive(pid); });
}

} // namespace test
