#include "process/file_watch.hpp"

#include "process/path_walk.hpp"

#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>

#include <array>
#include <cstring>
#include <filesystem>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace process {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t events_of_interest =
  IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr size_t events_bytes = 16u << 10;

int64_t nanoseconds(const timespec& t) { return t.tv_sec * 1'000'000'000 + t.tv_nsec; }

} // namespace

file_stamp stamp_of(const std::string& path) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0)
    return {};
  return {seen.st_dev, seen.st_ino, static_cast<uint64_t>(seen.st_size), nanoseconds(seen.st_mtim),
          nanoseconds(seen.st_ctim)};
}

// ---- what is watched -------------------------------------------------------------------------

watched_files::watched_files(const std::vector<std::string>& paths)
  : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
    are_all_(static_cast<bool>(inotify_)) {
  std::error_code ec;
  path_walk walk; // a repository's links can be made to cost time
  for (size_t i = 0; i < paths.size() && inotify_; ++i) {
    auto& path = paths[i];
    if (fs::is_directory(path, ec))
      are_all_ = watch(path, {}) && are_all_;
    are_all_ = watch_file(path) && are_all_;
    if (auto real = walk.end_of(path).real; !real.empty() && real != path) // a file of `dotfiles`, say
      are_all_ = watch_file(real) && are_all_;
  }
}

/// The first part of the path that is not there; of a file that is there, its name.
bool watched_files::watch_file(const fs::path& path) {
  std::error_code ec;
  auto folder = path.parent_path(), name = path.filename();
  while (!fs::is_directory(folder, ec) && folder.has_relative_path()) {
    name = folder.filename();
    folder = folder.parent_path();
  }
  return watch(folder.string(), name.string());
}

bool watched_files::watch(const std::string& folder, const std::string& name) {
  auto id = ::inotify_add_watch(inotify_.get(), folder.c_str(), events_of_interest);
  if (id >= 0)
    names_[id].insert(name);
  return id >= 0;
}

// ---- the watch -------------------------------------------------------------------------------

file_watch::file_watch(const asio::any_io_executor& executor) : executor_(executor), notifier_(executor) {}

/// What the old one still has to tell is about the past.
bool file_watch::set(watched_files files) {
  asio::posix::stream_descriptor notifier{executor_};
  asio::error_code ec;
  if (files.inotify_)
    notifier.assign(files.inotify_.get(), ec); // it needs a place in epoll, of which a user has so many
  if (!files.inotify_ || ec)
    return false;
  files.inotify_.release();
  names_ = std::move(files.names_);
  notifier_ = std::move(notifier);
  ++sets_;
  return files.are_all_;
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
    auto set = sets_;
    auto [ec, size] =
      co_await notifier_.async_read_some(asio::buffer(events), asio::experimental::as_tuple(asio::use_awaitable));
    if (set != sets_)
      continue;
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
