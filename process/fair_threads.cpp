#include "process/fair_threads.hpp"

#include <typeinfo>

namespace process {

fair_threads::fair_threads(size_t count) {
  threads_.reserve(count);
  for (size_t i = 0; i < count; ++i)
    threads_.emplace_back([this] { work(); });
}

fair_threads::~fair_threads() {
  join();
  shutdown();
  destroy();
}

asio::any_io_executor fair_threads::line() { return fair_executor{*this, std::make_shared<waiting_line>()}; }

void fair_threads::push(const std::shared_ptr<waiting_line>& line, std::unique_ptr<task> what) {
  std::unique_lock lock{mutex_};
  if (ending_) {
    lock.unlock(); // the end of a task may post again
    return what.reset();
  }
  line->tasks.push_back(std::move(what));
  if (line->is_busy || line->tasks.size() > 1)
    return;
  turns_.push_back(line);
  changed_.notify_one();
}

void fair_threads::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !turns_.empty(); });
    if (ending_)
      return;
    auto line = std::move(turns_.front());
    turns_.pop_front();
    auto next = std::move(line->tasks.front());
    line->tasks.pop_front();
    line->is_busy = true;
    lock.unlock();
    try {
      next->run();
    } catch (...) {
      // offload() answers with what its work has thrown; no caller waits for others
    }
    next.reset(); // the end of a large value takes long as well
    lock.lock();
    line->is_busy = false;
    if (!line->tasks.empty()) {
      turns_.push_back(std::move(line));
      changed_.notify_one();
    }
  }
}

void fair_threads::join() {
  std::deque<std::unique_ptr<task>> dropped;
  {
    std::lock_guard lock{mutex_};
    ending_ = true;
    changed_.notify_all();
  }
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
  {
    std::lock_guard lock{mutex_};
    for (auto& line : turns_)
      for (auto& task : std::exchange(line->tasks, {}))
        dropped.push_back(std::move(task));
    turns_.clear();
  }
}

void fair_executor::give_up() const {
  std::lock_guard lock{threads_->mutex_};
  line_->is_given_up = true;
}

bool fair_executor::is_given_up() const {
  std::lock_guard lock{threads_->mutex_};
  return line_->is_given_up;
}

namespace {

/// Null: another executor. target() of asio 1.22 does not look at the type.
const fair_executor* as_fair(const asio::any_io_executor& line) {
  return line.target_type() == typeid(fair_executor) ? line.target<fair_executor>() : nullptr;
}

} // namespace

void give_up(const asio::any_io_executor& line) {
  if (auto* fair = as_fair(line))
    fair->give_up();
}

bool is_given_up(const asio::any_io_executor& line) {
  auto* fair = as_fair(line);
  return fair && fair->is_given_up();
}

} // namespace process
