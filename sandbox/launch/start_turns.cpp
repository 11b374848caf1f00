#include "sandbox/launch/start_turns.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sandbox {

namespace {

using clock = asio::steady_timer::clock_type;
/// However long a start took: whoever waits for the next one has waited for it already.
constexpr std::chrono::milliseconds pause_most{20};

} // namespace

void start_turns::enter(std::function<void()> start) {
  waiting_.push_back(std::move(start));
  if (!pausing_)
    next();
}

void start_turns::next() {
  pausing_ = !waiting_.empty();
  if (!pausing_)
    return;
  auto start = std::move(waiting_.front());
  waiting_.pop_front();
  auto begin = clock::now();
  start();
  pause_.expires_after(std::min<clock::duration>(clock::now() - begin, pause_most));
  pause_.async_wait([weak = weak_from_this()](asio::error_code ec) {
    if (auto self = weak.lock(); self && !ec)
      self->next();
  });
}

} // namespace sandbox
