#include "recording/recorder.hpp"

#include "recording/recorded.hpp"

#include <asio/post.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

constexpr size_t salt_bytes = 8;
/// A first line is not longer.
constexpr size_t first_line_bytes_max = 4'096;

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

/// False: errno says why.
bool write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR)
      return false;
    text.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
  return true;
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
  std::shared_ptr<recorder> out{new recorder{fd, {}, std::move(line)}};
  if (::flock(fd, LOCK_EX) != 0) // held only while the first line is looked at or written
    return unusable(path, std::strerror(errno));
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

recorder::~recorder() { ::close(fd_); }

void recorder::write(msg::document line) {
  auto bytes = line.held_bytes();
  if (unwritten_ + bytes > unwritten_bytes_max) {
    ++lost_;
    return;
  }
  unwritten_ += bytes;
  asio::post(line_, [self = shared_from_this(), line = std::move(line), bytes] {
    if (auto lost = self->lost_.exchange(0); lost > 0)
      self->append(msg::document{json::object{{"lostLines", lost}}}.text());
    self->append(line.text());
    self->unwritten_ -= bytes;
  });
}

/// In one piece: others write there too.
void recorder::append(const std::string& text) {
  if (write_whole(fd_, text + "\n") || std::exchange(has_failed_, true))
    return;
  spdlog::error("the recording can not be written any more: {}", std::strerror(errno));
}

} // namespace recording
