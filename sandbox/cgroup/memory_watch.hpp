// Looks at guests ten times a second, and tells when one holds more memory than it may: the limit of last resort, where
// the kernel does not count a guest's processes together. A guest can be above its limit for one interval.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include <sys/types.h>

namespace sandbox {

class memory_watch : public std::enable_shared_from_this<memory_watch> {
public:
  static constexpr std::chrono::milliseconds interval{100};

  /// Looks on `worker`, tells on `executor`. Idle while nothing is watched.
  memory_watch(const asio::any_io_executor& executor, asio::any_io_executor worker)
    : worker_(std::move(worker)),
      timer_(executor) {}

  /// True: too much. Called on the worker.
  using question = std::function<bool()>;

  /// Ends the watch when it goes.
  class ticket {
  public:
    ticket() = default;
    ticket(std::weak_ptr<memory_watch> of, uint64_t number) : of_(std::move(of)), number_(number) {}
    ticket(ticket&& o) noexcept : of_(std::move(o.of_)), number_(std::exchange(o.number_, 0)) {}
    ticket& operator=(ticket&& o) noexcept {
      std::swap(of_, o.of_);
      std::swap(number_, o.number_);
      return *this;
    }
    ~ticket();

  private:
    std::weak_ptr<memory_watch> of_;
    uint64_t number_ = 0;
  };

  /// Asks again and again until it is told yes; then calls `reached`, once.
  ticket watch(question too_much, std::function<void()> reached);
  /// The memory of `root` and everything below it.
  ticket watch_tree(pid_t root, uint64_t bytes_max, std::function<void()> reached);

private:
  struct watched {
    question too_much;
    std::function<void()> reached;
  };

  void wait();
  void look();
  void told(uint64_t number);

  asio::any_io_executor worker_;
  asio::steady_timer timer_;
  std::map<uint64_t, watched> watched_;
  uint64_t last_number_ = 0;
  bool looking_ = false; ///< the timer runs, or the worker looks
};

} // namespace sandbox
