// What became of a text that another side has sent: what it says, or why it does not count.
#pragma once

#include <string>
#include <utility>

namespace oauth {

/// A value, or a problem: the rest of a sentence about the text, without anything secret of it. One of them counts.
template <class T>
struct [[nodiscard]] parsed {
  T value{};
  std::string problem; ///< empty: there is none

  bool ok() const { return problem.empty(); }
};

template <class T>
parsed<T> refused(std::string problem) {
  return {{}, std::move(problem)};
}

} // namespace oauth
