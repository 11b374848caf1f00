// Writes a recording: lines, in the order in which exchanges end, by a thread of its own.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace recording {

/// Bytes of lines that wait to be written. Answers of servers wait for room; what comes besides is lost, which the file
/// and the log say.
inline constexpr size_t unwritten_bytes_max = size_t{64} << 20;
/// Of one that nothing else waits with: an answer of a bridge holds its text too.
inline constexpr size_t lone_line_bytes_max = size_t{256} << 20;
/// So long an answer waits, for a disk that is slower than its server.
inline constexpr std::chrono::milliseconds room_wait_max{10'000};
/// A file that another program has locked is waited for so long; of ours each holds the lock for a moment.
inline constexpr std::chrono::milliseconds lock_wait_max{2'000};
/// What is not written at the end of the process is written so long; then it is lost, which the file says.
inline constexpr std::chrono::milliseconds last_lines_wait_max{3'000};

/// Of one process. Several may write to one file.
class recorder : public std::enable_shared_from_this<recorder> {
public:
  /// Begins the file, or goes on with one that is there: only its owner can read it. `line` does one thing after the
  /// other, on another thread; what it drops is written at the end. The fault says why it can not be written. Waits up
  /// to lock_wait_max.
  static msg::outcome<std::shared_ptr<recorder>> open(const std::string& path, asio::any_io_executor line);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  /// See key_of().
  const std::string& salt() const { return salt_; }
  /// Makes the text of a line, on the other thread. Empty: there is none after all.
  using line_maker = std::function<std::string()>;
  /// Until there is room for a line, or for room_wait_max.
  asio::awaitable<void> room_for(size_t held_bytes);
  /// A line. `held_bytes`: of what waits with it until then.
  void write(size_t held_bytes, line_maker line);
  /// Made into text, and written, elsewhere.
  void write(msg::document line);

private:
  struct waiting_line {
    line_maker make;
    size_t held_bytes = 0;
  };

  recorder(int fd, std::string path, asio::any_io_executor line)
    : fd_(fd),
      path_(std::move(path)),
      line_(std::move(line)) {}
  void write_next();
  void write_now(const waiting_line& one);
  /// False: nothing is left.
  bool take_next(waiting_line& to);
  bool append(const std::string& text);
  bool append_lost();
  bool has_room(size_t held_bytes) const;
  void tell_room();

  int fd_;
  std::string path_;
  std::string salt_;
  asio::any_io_executor line_;
  std::mutex mutex_; ///< of the next five
  std::deque<waiting_line> waiting_;
  size_t unwritten_ = 0; ///< bytes; those of the line that is being written too
  uint64_t lost_ = 0;
  bool has_lost_ = false; ///< which was said
  std::vector<std::function<void()>> waiting_for_room_;
  // Of whoever writes, one at a time:
  bool is_cut_off_ = false; ///< the end of the file is a part of a line of ours
  bool has_failed_ = false; ///< which was said
};

} // namespace recording
