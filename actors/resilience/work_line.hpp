// Requests that are carried out elsewhere, one after the other: one is at work, and the others wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace resilience {

/// The caller bounds how many wait.
template <class Request>
class work_line {
public:
  /// Begins the first one, which may be put there now. Its end is told under that number.
  using begin_first = std::function<void(std::deque<Request>& waiting, uint64_t number)>;

  explicit work_line(begin_first begin) : begin_(std::move(begin)) {}

  /// The one at work is the first; it has to stay there.
  std::deque<Request>& all() { return requests_; }
  size_t size() const { return requests_.size(); }

  void push(Request request) {
    requests_.push_back(std::move(request));
    if (requests_.size() == 1)
      begin_(requests_, ++number_);
  }
  /// The one of that number, which is done. Nothing: it is not at work. go_on() begins the next.
  std::optional<Request> take_done(uint64_t number) {
    if (number != number_ || requests_.empty())
      return std::nullopt;
    auto done = std::move(requests_.front());
    requests_.pop_front();
    return done;
  }
  void go_on() {
    if (!requests_.empty())
      begin_(requests_, ++number_);
  }
  std::deque<Request> take_all() { return std::exchange(requests_, {}); }

private:
  begin_first begin_;
  std::deque<Request> requests_;
  uint64_t number_ = 0; ///< of the one at work
};

} // namespace resilience
