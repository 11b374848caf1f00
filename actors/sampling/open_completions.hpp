// The questions of one run that are not answered yet: how many there may be, and which of them wait for tokens.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace sampling {

/// That wait for their model, or for the program to take their text.
inline constexpr size_t completions_max = 200;

class open_completions {
public:
  /// `run`: numbers of the questions of different runs do not meet, because a program before in the same guest may
  /// still name one of its own.
  explicit open_completions(uint64_t run);

  /// errc::none: there may be one more.
  msg::fault check_count() const;
  /// errc::none: there is room for one with so much text.
  msg::fault check_bytes(size_t prompt_bytes) const;

  /// Its number.
  uint64_t add(completion_ptr q);
  /// Null: there is none.
  completion_ptr find(uint64_t number) const;
  void erase(uint64_t number) { open_.erase(number); }
  /// All of them, and none are left.
  std::vector<completion_ptr> take_all();

  /// Too many tokens are reserved by others.
  void wait(uint64_t number) { waiting_.push_back(number); }
  /// Others have come back: lets those that wait try again, in their order; the first that waits again lets the others
  /// wait as well.
  void try_again(const std::function<void(uint64_t)>& try_one);

private:
  uint64_t last_number_;
  std::map<uint64_t, completion_ptr> open_;
  std::deque<uint64_t> waiting_;
};

} // namespace sampling
