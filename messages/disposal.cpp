#include "messages/disposal.hpp"

#include <boost/json/value.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace msg {

namespace {

using disposed_value = std::unique_ptr<const boost::json::value>;

/// Documents may outlive it: those of other statics.
std::atomic<bool> is_over = false;

class disposer {
public:
  disposer() : thread_([this] { run(); }) {}
  disposer(const disposer&) = delete;
  disposer& operator=(const disposer&) = delete;
  ~disposer() {
    is_over = true;
    {
      std::lock_guard lock{mutex_};
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  /// False: too many wait; `value` is left as it is.
  bool take(disposed_value& value) {
    {
      std::lock_guard lock{mutex_};
      if (waiting_.size() >= disposals_max)
        return false;
      waiting_.push_back(std::move(value));
    }
    changed_.notify_one();
    return true;
  }

private:
  void run() {
    std::unique_lock lock{mutex_};
    while (!ends_ || !waiting_.empty()) {
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      auto values = std::exchange(waiting_, {});
      lock.unlock();
      values.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<disposed_value> waiting_;
  bool ends_ = false;
  std::thread thread_; ///< the last: it uses the others
};

} // namespace

void dispose(disposed_value value) noexcept {
  if (is_over)
    return;
  try {
    static disposer the;
    the.take(value);
  } catch (...) { // no memory, or no thread: it ends here
  }
}

} // namespace msg
