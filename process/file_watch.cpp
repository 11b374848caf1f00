#include "process/file_watch.hpp"

#include "process/path_walk.hpp"

#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>

#include <array>
#include <cstring>
#include <filesystem>
#include <sys/inotify.h>
#include <system_error>
#include <utility>

namespace process {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t events_of_interest =
  IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr size_t events_bytes = 16u << 10;

} // namespace

file_stamp stamp_of(const std::string& path) {
  std::error_code no_time, no_size;
  auto time = fs::last_write_time(path, no_time);
  auto size = fs::file_size(path, no_size);
  return {no_time ? fs::file_time_type{} : time, no_size ? 0 : size};
}

file_watch::file_watch(const asio::any_io_executor& executor) : executor_(executor), notifier_(executor) {}

/// A new instance: what the old one still has to tell is about the past.
bool file_watch::set(const std::vector<std::string>& paths) {
  descriptor fd{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  asio::posix::stream_descriptor notifier{executor_};
  asio::error_code ec_of_asio;
  if (fd)
    notifier.assign(fd.get(), ec_of_asio); // it needs a place in epoll, of which a user has so many
  if (!fd || ec_of_asio)
    return false;
  fd.release();
  names_.clear();
  notifier_ = std::move(notifier);
  bool is_watched = true;
  std::error_code ec;
  path_walk walk; // a repository's links can be made to cost time
  for (auto& path : paths) {
    if (fs::is_directory(path, ec))
      is_watched = watch(path, {}) && is_watched;
    is_watched = watch_file(path) && is_watched;
    if (auto real = walk.end_of(path).real; !real.empty() && real != path) // a file of `dotfiles`, say
      is_watched = watch_file(real) && is_watched;
  }
  return is_watched;
}

/// The first part of the path that is not there; of a file that is there, its name.
bool file_watch::watch_file(const fs::path& path) {
  std::error_code ec;
  auto folder = path.parent_path(), name = path.filename();
  while (!fs::is_directory(folder, ec) && folder.has_relative_path()) {
    name = folder.filename();
    folder = folder.parent_path();
  }
  return watch(folder.string(), name.string());
}

bool file_watch::watch(const std::string& folder, const std::string& name) {
  auto id = ::inotify_add_watch(notifier_.native_handle(), folder.c_str(), events_of_interest);
  if (id >= 0)
    names_[id].insert(name);
  return id >= 0;
}

bool file_watch::is_about_us(const char* events, size_t size) const {
  inotify_event event{};
  for (size_t at = 0; at + sizeof event <= size; at += sizeof event + event.len) {
    std::memcpy(&event, events + at, sizeof event);
    if ((event.mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0)
      return true;
    auto wanted = names_.find(event.wd);
    auto name = event.len > 0 ? std::string{events + at + sizeof event} : std::string{};
    if (wanted != names_.end() && (wanted->second.contains({}) || wanted->second.contains(name)))
      return true;
  }
  return false;
}

asio::awaitable<bool> file_watch::changed() {
  std::array<char, events_bytes> events{};
  while (notifier_.is_open()) {
    auto [ec, size] =
      co_await notifier_.async_read_some(asio::buffer(events), asio::experimental::as_tuple(asio::use_awaitable));
    if (ec)
      co_return false;
    if (is_about_us(events.data(), size))
      co_return true;
  }
  co_return false;
}

void file_watch::cancel() {
  asio::error_code ignored;
  notifier_.close(ignored);
}

} // namespace process
