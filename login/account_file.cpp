#include "login/account_file.hpp"

#include "process/no_throw.hpp"
#include "process/offload.hpp"
#include "text/digest.hpp"

#include <asio/steady_timer.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace login {

using msg::errc;
using msg::fault;

namespace {

/// Two tokens of 32 KiB at most, and some addresses.
constexpr size_t account_bytes_max = 256u << 10;
/// Between two looks whether a lock is free.
constexpr std::chrono::milliseconds lock_pause{50};

fault file_failure(const std::string& what, const std::string& path) {
  return {errc::internal, path + " " + what + ": " + std::strerror(errno)};
}

file_stamp stamp_of(const struct stat& of) {
  return {of.st_ino, static_cast<uint64_t>(of.st_size), of.st_mtim.tv_sec * 1'000'000'000 + of.st_mtim.tv_nsec};
}

/// The bytes of it; a problem: they can not be had, or are not to be trusted.
oauth::parsed<std::string> read_private_file(const std::string& path, file_stamp& stamp) {
  process::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat about {};
  if (!file && errno == ENOENT)
    return {};
  if (!file || ::fstat(file.get(), &about) != 0)
    return oauth::refused<std::string>(std::string{"can not be read: "} + std::strerror(errno));
  stamp = stamp_of(about);
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid())
    return oauth::refused<std::string>("is no file of this user");
  if (about.st_size < 1 || static_cast<size_t>(about.st_size) > account_bytes_max)
    return oauth::refused<std::string>("is empty or too large");
  if ((about.st_mode & 077) != 0)
    ::fchmod(file.get(), 0600);
  std::string out(static_cast<size_t>(about.st_size), '\0');
  size_t have = 0;
  while (have < out.size()) {
    auto n = ::read(file.get(), out.data() + have, out.size() - have);
    if (n == 0 || (n < 0 && errno != EINTR))
      return oauth::refused<std::string>("can not be read to its end");
    have += static_cast<size_t>(std::max<ssize_t>(n, 0));
  }
  return {std::move(out), {}};
}

stored_account read_account(const std::string& path, const std::string& server, const std::string& url) {
  stored_account out;
  auto text = read_private_file(path, out.stamp);
  if (text.ok() && text.value.empty())
    return out;
  auto read = text.ok() ? parse_account(text.value) : oauth::refused<account>(text.problem);
  if (read.ok() && (read.value.server != server || read.value.url != url))
    read = oauth::refused<account>("it is of another server");
  if (read.ok())
    out.value = std::move(read.value);
  else
    out.problem = "the login of server '" + server + "' in " + path + " does not count: " + read.problem;
  return out;
}

fault prepare_folder(const std::string& path) {
  auto folder = std::filesystem::path{path}.parent_path().string();
  ::mkdir(std::filesystem::path{folder}.parent_path().c_str(), 0700); // of the state: it may be the first thing in it
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return file_failure("can not be made", folder);
  process::descriptor at{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat about {};
  if (!at || ::fstat(at.get(), &about) != 0)
    return file_failure("can not be opened", folder);
  if (about.st_uid != ::geteuid())
    return {errc::internal, folder + " belongs to another user"};
  if ((about.st_mode & 077) != 0 && ::fchmod(at.get(), 0700) != 0)
    return file_failure("is open to others, which can not be changed", folder);
  return {};
}

/// Null: another one has it.
msg::outcome<account_lock> try_lock(const std::string& path) {
  if (auto failed = prepare_folder(path); failed.code != errc::none)
    return failed;
  auto place = path + ".lock"; // stays: who removes it may lock one that nobody else sees
  process::descriptor file{::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
  if (!file)
    return file_failure("can not be opened", place);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0)
    return account_lock{std::make_shared<const process::descriptor>(std::move(file))};
  if (errno == EWOULDBLOCK || errno == EINTR)
    return account_lock{};
  return file_failure("can not be locked", place);
}

fault replace_file(const std::string& path, const std::string& text) {
  auto unfinished = path + ".new"; // nobody else writes: the account is locked
  ::unlink(unfinished.c_str());
  process::descriptor file{::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file)
    return file_failure("can not be written", unfinished);
  for (std::string_view rest = text; !rest.empty();) {
    auto n = ::write(file.get(), rest.data(), rest.size());
    if (n < 0 && errno != EINTR)
      return file_failure("can not be written", unfinished);
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  if (::fsync(file.get()) != 0 || ::rename(unfinished.c_str(), path.c_str()) != 0)
    return file_failure("can not be written", path);
  process::descriptor folder{
    ::open(std::filesystem::path{path}.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder)
    ::fsync(folder.get()); // the new name is on the disk, too; without that the old one counts after a crash
  return {};
}

std::string path_of(const std::string& state_folder, const std::string& server, const std::string& url) {
  return state_folder + "/tokens/" + text::digest{}.add(server).add(url).hex() + ".json";
}

bool exists(const std::string& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0;
}

std::string wanted_beside(const std::string& path) { return path + ".wanted"; }

} // namespace

account_file::account_file(const environment& of, std::string server, std::string url)
  : executor_(of.executor),
    worker_(of.worker),
    server_(std::move(server)),
    url_(std::move(url)) {
  path_ = path_of(of.state_folder, server_, url_);
}

file_stamp account_file::look() const {
  struct stat about {};
  return ::lstat(path_.c_str(), &about) == 0 ? stamp_of(about) : file_stamp{};
}

asio::awaitable<stored_account> account_file::read() const {
  auto work = [path = path_, server = server_, url = url_] { return read_account(path, server, url); };
  auto path = path_;
  auto done = co_await process::offload(worker_, std::move(work));
  if (!done.ok())
    done.value.problem = path + " can not be read: " + done.error.message;
  co_return std::move(done.value);
}

asio::awaitable<msg::outcome<account_lock>> account_file::lock() const {
  auto path = path_;
  auto worker = worker_;
  auto until = std::chrono::steady_clock::now() + lock_patience;
  asio::steady_timer timer{executor_};
  while (std::chrono::steady_clock::now() < until) {
    auto work = [path] { return try_lock(path); };
    auto got = co_await process::offload(worker, std::move(work));
    if (!got.ok() || got.value)
      co_return std::move(got);
    timer.expires_after(lock_pause);
    co_await timer.async_wait(process::no_throw);
  }
  auto whole_s = std::to_string(lock_patience.count());
  co_return fault{errc::overloaded, "another process holds " + path + ".lock for more than " + whole_s + " s"};
}

asio::awaitable<fault> account_file::write(account_lock held, account what) const {
  bool is_login = !what.access_token.empty() && what.missing_scopes.empty();
  auto work = [held = std::move(held), path = path_, server = server_, url = url_, text = account_text(what),
               is_login] {
    if (!read_account(path, server, url).problem.empty())
      ::rename(path.c_str(), (path + ".broken").c_str());
    auto failed = replace_file(path, text);
    if (is_login && failed.code == errc::none)
      ::unlink(wanted_beside(path).c_str());
    return failed.code == errc::none ? msg::outcome<bool>{true} : msg::outcome<bool>{std::move(failed)};
  };
  auto done = co_await process::offload(worker_, std::move(work));
  co_return std::move(done.error);
}

asio::awaitable<fault> account_file::remove(account_lock held) const {
  auto work = [held = std::move(held), path = path_]() -> msg::outcome<bool> {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return file_failure("can not be removed", path);
    return true;
  };
  auto done = co_await process::offload(worker_, std::move(work));
  co_return std::move(done.error);
}

asio::awaitable<void> account_file::note_wanted() const {
  auto work = [path = path_] {
    if (prepare_folder(path).code == errc::none)
      process::descriptor{
        ::open(wanted_beside(path).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    return msg::outcome<bool>{true};
  };
  [[maybe_unused]] auto done = co_await process::offload(worker_, std::move(work));
}

asio::awaitable<void> account_file::forget_wanted() const {
  auto work = [path = path_] {
    ::unlink(wanted_beside(path).c_str());
    return msg::outcome<bool>{true};
  };
  [[maybe_unused]] auto done = co_await process::offload(worker_, std::move(work));
}

bool account_file::is_wanted() const { return exists(wanted_beside(path_)); }

bool is_login_wanted(const std::string& state_folder, const std::string& server, const std::string& url) {
  return exists(wanted_beside(path_of(state_folder, server, url)));
}

} // namespace login
