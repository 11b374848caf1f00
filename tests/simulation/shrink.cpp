#include "tests/simulation/shrink.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

namespace {

plan without(const plan& what, size_t begin, size_t end) {
  auto out = what;
  auto at = [&](size_t n) { return out.steps.begin() + static_cast<std::ptrdiff_t>(n); };
  out.steps.erase(at(begin), at(end));
  return out;
}

} // namespace

plan shrunk(plan what, const std::function<bool(const plan&)>& fails, size_t tries_max) {
  size_t tries = 0;
  for (auto size = what.steps.size(); size > 0;) {
    bool is_shorter = false;
    for (size_t begin = 0; begin < what.steps.size() && tries < tries_max;) {
      auto shorter = without(what, begin, std::min(begin + size, what.steps.size()));
      ++tries;
      if (fails(shorter)) {
        what = std::move(shorter);
        is_shorter = true;
      } else {
        begin += size;
      }
    }
    if (tries >= tries_max)
      break;
    if (!is_shorter || size > what.steps.size())
      size = size == 1 && !is_shorter ? 0 : std::max<size_t>(1, std::min(size / 2, what.steps.size()));
    if (what.steps.empty())
      break;
  }
  return what;
}

} // namespace simulation
