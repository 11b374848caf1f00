#include "cli/stderr_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace cli {

namespace {

constexpr size_t waiting_bytes_max = 1u << 20;
/// At the end; a reader that is there takes microseconds.
constexpr std::chrono::milliseconds last_lines_max{200};
/// So often the thread looks whether it is wanted still.
constexpr int patience_ms = 50;

} // namespace

stderr_writer::stderr_writer() : thread_([this] { work(); }) {}

stderr_writer::~stderr_writer() {
  std::unique_lock lock{mutex_};
  ends_ = true;
  changed_.notify_all();
  is_given_up_ = !changed_.wait_for(lock, last_lines_max, [this] { return lines_.empty() && !is_writing_; });
  lock.unlock();
  thread_.join();
}

void stderr_writer::push(std::string line) {
  std::lock_guard lock{mutex_};
  if (bytes_ + line.size() > waiting_bytes_max) {
    ++dropped_;
    return;
  }
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  changed_.notify_all();
}

bool stderr_writer::is_given_up() {
  std::lock_guard lock{mutex_};
  return is_given_up_;
}

/// A pipe that can be written to takes PIPE_BUF bytes at once, so this never waits in write(). The descriptor may be
/// shared with others: it stays a blocking one.
void stderr_writer::write_all(std::string_view text) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  while (!text.empty() && !is_given_up()) {
    if (::poll(&ready, 1, patience_ms) <= 0)
      continue;
    auto n = ::write(STDERR_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR)
      return; // no process will ever read it
    text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
  }
}

void stderr_writer::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !lines_.empty(); });
    if (lines_.empty())
      return;
    auto line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    if (auto lost = lines_.empty() ? std::exchange(dropped_, 0) : 0; lost > 0)
      line += std::to_string(lost) + " lines of this log are missing here: nobody has read stderr for a while\n";
    is_writing_ = true;
    lock.unlock();
    write_all(line);
    lock.lock();
    is_writing_ = false;
    changed_.notify_all();
  }
}

} // namespace cli
