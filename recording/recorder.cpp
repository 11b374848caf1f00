#include "recording/recorder.hpp"

#include "process/no_throw.hpp"
#include "recording/recorded.hpp"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

constexpr size_t salt_bytes = 8;
/// A first line is not longer.
constexpr size_t first_line_bytes_max = 4'096;
/// Between two looks at a lock.
constexpr std::chrono::milliseconds lock_pause{20};

msg::fault unusable(const std::string& path, std::string why) {
  return {msg::errc::invalid_argument, "the recording " + path + " can not be written: " + std::move(why)};
}

std::string new_salt() {
  std::string out;
  unsigned char bytes[salt_bytes] = {};
  [[maybe_unused]] auto got = ::getrandom(bytes, sizeof bytes, 0); // of so few bytes always all
  constexpr char digits[] = "0123456789abcdef";
  for (auto byte : bytes) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

/// Bytes that were written; if not all, errno says why.
size_t write_most(int fd, std::string_view text) {
  size_t written = 0;
  while (written < text.size()) {
    auto n = ::write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR)
      break;
    written += n < 0 ? 0 : static_cast<size_t>(n);
  }
  return written;
}

bool write_whole(int fd, std::string_view text) { return write_most(fd, text) == text.size(); }

/// False: errno says why. EWOULDBLOCK: another program holds it.
bool take_lock(int fd) {
  auto until = std::chrono::steady_clock::now() + lock_wait_max;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    bool may_come = errno == EWOULDBLOCK || errno == EINTR;
    if (!may_come || std::chrono::steady_clock::now() >= until)
      return false;
    std::this_thread::sleep_for(lock_pause);
  }
  return true;
}

std::string why_not_locked() {
  return errno == EWOULDBLOCK ? "another program has held a lock on it for " + std::to_string(lock_wait_max.count())
                                  + " ms; end that program (lslocks shows which), or record into another file"
                              : std::string{std::strerror(errno)};
}

/// Of a file that is there; empty: it is empty. Another one is none of ours.
msg::outcome<std::string> salt_in(int fd) {
  std::string text(first_line_bytes_max, '\0');
  auto n = ::pread(fd, text.data(), text.size(), 0);
  text.resize(n < 0 ? 0 : static_cast<size_t>(n));
  if (text.empty())
    return std::string{};
  auto head = read_head(std::string_view{text}.substr(0, text.find('\n')));
  if (!head.ok())
    return std::move(head.error);
  return std::move(head.value);
}

/// A line that was cut off, by a kill or a full disk, ends here.
void end_last_line(int fd) {
  auto size = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n')
    write_whole(fd, "\n");
}

} // namespace

msg::outcome<std::shared_ptr<recorder>> recorder::open(const std::string& path, asio::any_io_executor line) {
  auto fd = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
  if (fd < 0)
    return unusable(path, std::strerror(errno));
  std::shared_ptr<recorder> out{new recorder{fd, path, std::move(line)}};
  struct stat s {};
  if (::fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) // a pipe or a device keeps nothing
    return unusable(path, "it is no regular file");
  if (!take_lock(fd)) // held only while the first line is looked at or written
    return unusable(path, why_not_locked());
  auto salt = salt_in(fd);
  if (salt.ok() && salt.value.empty()) {
    salt.value = new_salt();
    auto head = first_line(salt.value);
    if (!write_whole(fd, head))
      salt.error = unusable(path, std::strerror(errno));
  } else if (salt.ok()) {
    end_last_line(fd);
  }
  ::flock(fd, LOCK_UN);
  if (!salt.ok())
    return unusable(path, salt.error.message);
  out->salt_ = std::move(salt.value);
  return out;
}

/// What its line has dropped is written here: the last to hold it is nobody who serves.
recorder::~recorder() {
  auto until = std::chrono::steady_clock::now() + last_lines_wait_max;
  for (waiting_line one; take_next(one);) {
    if (std::chrono::steady_clock::now() < until)
      write_now(one);
    else
      ++lost_;
  }
  append_lost();
  ::close(fd_);
}

void recorder::write(msg::document line) {
  auto bytes = line.held_bytes();
  write(bytes, [line = std::move(line)] { return line.text(); });
}

void recorder::write(size_t held_bytes, line_maker line) {
  {
    std::lock_guard lock{mutex_};
    if (!has_room(held_bytes)) {
      ++lost_;
      if (!std::exchange(has_lost_, true))
        spdlog::warn(
          "lines of the recording {} are lost: they come faster than they are written; the file says how many", path_);
      return;
    }
    unwritten_ += held_bytes;
    waiting_.push_back({std::move(line), held_bytes});
  }
  asio::post(line_, [self = shared_from_this()] { self->write_next(); });
}

bool recorder::take_next(waiting_line& to) {
  std::lock_guard lock{mutex_};
  if (waiting_.empty())
    return false;
  to = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

void recorder::write_next() {
  waiting_line one;
  if (!take_next(one))
    return;
  write_now(one);
  one.make = nullptr; // what it holds ends before its bytes are free
  {
    std::lock_guard lock{mutex_};
    unwritten_ -= one.held_bytes;
  }
  tell_room();
}

/// With the lock.
bool recorder::has_room(size_t held_bytes) const {
  return unwritten_ + held_bytes <= (unwritten_ == 0 ? lone_line_bytes_max : unwritten_bytes_max);
}

void recorder::tell_room() {
  std::vector<std::function<void()>> all;
  {
    std::lock_guard lock{mutex_};
    all = std::exchange(waiting_for_room_, {});
  }
  for (auto& tell : all)
    tell();
}

asio::awaitable<void> recorder::room_for(size_t held_bytes) {
  auto executor = co_await asio::this_coro::executor;
  auto until = std::chrono::steady_clock::now() + room_wait_max;
  auto timer = std::make_shared<asio::steady_timer>(executor, until);
  while (std::chrono::steady_clock::now() < until) {
    {
      std::lock_guard lock{mutex_};
      if (has_room(held_bytes))
        co_return;
      waiting_for_room_.emplace_back([executor, timer] { asio::post(executor, [timer] { timer->cancel(); }); });
    }
    co_await timer->async_wait(process::no_throw);
  }
}

void recorder::write_now(const waiting_line& one) {
  bool is_written = false;
  try {
    auto text = one.make();
    is_written = text.empty() || (append_lost() && append(text));
  } catch (const std::exception& e) { // no memory, say: the next one may be smaller
    spdlog::error("a line of the recording {} could not be made: {}", path_, e.what());
  }
  std::lock_guard lock{mutex_};
  lost_ += is_written ? 0 : 1;
}

/// False: what was lost before could not be said either.
bool recorder::append_lost() {
  uint64_t lost = 0;
  {
    std::lock_guard lock{mutex_};
    lost = std::exchange(lost_, 0);
  }
  if (lost == 0 || append(msg::document{json::object{{"lostLines", lost}}}.text()))
    return true;
  std::lock_guard lock{mutex_};
  lost_ += lost;
  return false;
}

/// In one piece: others write there too. What was cut off, by a full disk, ends before the next line begins.
bool recorder::append(const std::string& text) {
  auto whole = (is_cut_off_ ? "\n" : "") + text + "\n";
  auto written = write_most(fd_, whole);
  bool is_written = written == whole.size();
  if (!is_written && !std::exchange(has_failed_, true))
    spdlog::error("the recording {} can not be written any more: {}; lines are lost until it can", path_,
                  std::strerror(errno));
  if (is_written && std::exchange(has_failed_, false))
    spdlog::warn("the recording {} can be written again", path_);
  is_cut_off_ = !is_written && (is_cut_off_ || written > 0);
  return is_written;
}

} // namespace recording
