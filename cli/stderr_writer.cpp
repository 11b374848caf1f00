#include "cli/stderr_writer.hpp"

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

/// As many whole lines as a pipe takes at once: others that write to it do not come in between.
size_t at_once(std::string_view text) {
  if (text.size() <= PIPE_BUF)
    return text.size();
  auto end = text.rfind('\n', PIPE_BUF - 1);
  return end == text.npos ? PIPE_BUF : end + 1;
}

} // namespace

stderr_writer::stderr_writer() : thread_([this] { work(); }) {}

stderr_writer::~stderr_writer() {
  std::unique_lock lock{mutex_};
  ends_ = true;
  changed_.notify_all();
  is_given_up_ =
    !changed_.wait_for(lock, last_lines_max, [this] { return waiting_.empty() && in_writing_ == 0 && dropped_ == 0; });
  lock.unlock();
  thread_.join();
}

void stderr_writer::push(std::string_view line) {
  std::lock_guard lock{mutex_};
  if (waiting_.size() + in_writing_ + line.size() > waiting_bytes_max) {
    ++dropped_;
    return;
  }
  waiting_ += line;
  changed_.notify_all();
}

void stderr_writer::push_whole(std::string_view text) {
  std::lock_guard lock{mutex_};
  waiting_ += text;
  changed_.notify_all();
}

size_t stderr_writer::waiting() {
  std::lock_guard lock{mutex_};
  return waiting_.size() + in_writing_;
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
    auto n = ::write(STDERR_FILENO, text.data(), at_once(text));
    if (n < 0 && errno != EINTR)
      return; // no process will ever read it
    text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
  }
}

void stderr_writer::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty() || dropped_ > 0; });
    if (waiting_.empty() && dropped_ == 0)
      return;
    auto text = std::exchange(waiting_, {});
    if (auto lost = std::exchange(dropped_, 0); lost > 0)
      text += std::to_string(lost) + " lines of this log are missing here: nobody has read stderr for a while\n";
    in_writing_ = text.size();
    lock.unlock();
    write_all(text);
    lock.lock();
    in_writing_ = 0;
    changed_.notify_all();
  }
}

} // namespace cli
