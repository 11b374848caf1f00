// The one source of chance of a simulation: the same numbers from the same seed on every machine and with every
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace simulation {

/// SplitMix64.
class chance {
public:
  explicit chance(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    auto z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 to `n` - 1; `n` is not 0.
  uint64_t below(uint64_t n) { return next() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(all.size())];
  }

private:
  uint64_t state_;
};

} // namespace simulation
