// Writes to stderr on a thread of its own: a client that does not read it must not stop the server.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace cli {

class stderr_writer {
public:
  stderr_writer();
  /// Waits for a moment until everything is written. What no process reads is given up.
  ~stderr_writer();
  stderr_writer(const stderr_writer&) = delete;
  stderr_writer& operator=(const stderr_writer&) = delete;

  /// Dropped, and counted, when too much waits already: that is said as soon as a process reads again.
  void push(std::string_view line);
  /// Never dropped: who pushes looks at waiting() before.
  void push_whole(std::string_view text);
  /// Bytes that are not written yet; 0 also when no process reads any more.
  size_t waiting();

private:
  void work();
  void write_all(std::string_view text);
  bool is_given_up();

  std::mutex mutex_; ///< of all that follows
  std::condition_variable changed_;
  std::string waiting_;   ///< whole lines
  size_t in_writing_ = 0; ///< bytes
  size_t dropped_ = 0;    ///< lines
  bool ends_ = false;
  bool is_given_up_ = false;
  std::thread thread_;
};

} // namespace cli
