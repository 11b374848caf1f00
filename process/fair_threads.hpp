// A few threads for work that others make us do. Each source of it, such as a guest or a run, has a line of its own:
// the lines take turns, and of one line one piece of work is done at a time, so that no line holds more than one
// thread.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <condition_variable>

namespace process {

class fair_threads : public asio::execution_context {
public:
  explicit fair_threads(size_t count);
  ~fair_threads();
  fair_threads(const fair_threads&) = delete;
  fair_threads& operator=(const fair_threads&) = delete;

  /// A new line. What is posted to it is done in order.
  asio::any_io_executor line();
  /// Ends the threads. What they have not begun is dropped.
  void join();

private:
  friend class fair_executor;

  struct task {
    virtual ~task() = default;
    virtual void run() = 0;
  };
  struct waiting_line {
    std::deque<std::unique_ptr<task>> tasks;
    bool is_busy = false;
    bool is_given_up = false;
  };

  void push(const std::shared_ptr<waiting_line>& line, std::unique_ptr<task> what);
  void work();

  std::mutex mutex_; ///< of everything below, and of the lines
  std::condition_variable changed_;
  std::deque<std::shared_ptr<waiting_line>> turns_; ///< lines that have work and are not busy, each once
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

/// What any_io_executor holds of a line.
class fair_executor {
public:
  fair_executor(fair_threads& threads, std::shared_ptr<fair_threads::waiting_line> line)
    : threads_(&threads),
      line_(std::move(line)) {}

  asio::execution_context& query(asio::execution::context_t) const noexcept { return *threads_; }
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }

  template <class F>
  void execute(F&& f) const {
    struct held final : fair_threads::task {
      std::decay_t<F> what;
      explicit held(F&& w) : what(std::forward<F>(w)) {}
      void run() override { std::move(what)(); }
    };
    threads_->push(line_, std::make_unique<held>(std::forward<F>(f)));
  }

  void give_up() const;
  bool is_given_up() const;

  friend bool operator==(const fair_executor& a, const fair_executor& b) noexcept { return a.line_ == b.line_; }
  friend bool operator!=(const fair_executor& a, const fair_executor& b) noexcept { return !(a == b); }

private:
  fair_threads* threads_;
  std::shared_ptr<fair_threads::waiting_line> line_;
};

/// No caller waits any more for what is posted to that line: offload() answers at once instead of working. Does nothing
/// for other executors.
void give_up(const asio::any_io_executor& line);
bool is_given_up(const asio::any_io_executor& line);

} // namespace process
